"""The paper's analysis as functions: regret bounds, information gain, certificates, trust light, plans.

Before the first experiment: :func:`plan`, :func:`simulate`. During: :func:`remaining_regret`, :func:`calibration`.
After: :func:`regret_given_data`. With several outcomes: :func:`remaining_feasible_regret`, :func:`epsilon_bound`,
:func:`hypervolume_bound`. Every guarantee is under the model, on the candidates; corrected where the paper's
display is not right, with the printed form under a name that says so. ``_anytime``: for all T at once; ``_fixed``: for
one T chosen beforehand.
"""

from regretless.theory.additive import information_gain_of_sum
from regretless.theory.anytime import anytime_regret, second_moment_regret, second_moment_regret_fixed
from regretless.theory.averaged import (
    AveragedCertificate,
    Knee,
    averaged_regret,
    care_after,
    careful_mean,
    lifted,
    mixture_quantile,
    share_unsure,
)
from regretless.theory.block_regret import pass_seconds, remaining_regret_in_blocks
from regretless.theory.bounds import (
    c1,
    expected_regret_box,
    expected_regret_box_theorem,
    expected_regret_gp_ucb,
    expected_regret_table,
    grid_error,
    initial_design_regret,
    markov_fixed,
    regret_given_data,
    simple_regret,
)
from regretless.theory.budget import Plan, Simulation, plan, simulate
from regretless.theory.certificate import BestProbability, Certificate, SimulatedRegret, remaining_regret
from regretless.theory.composite import SimulatedBound, simulated_tail_sum
from regretless.theory.conditional import (
    conditional_regret_box_anytime,
    conditional_regret_box_as_printed,
    conditional_regret_box_fixed,
    conditional_regret_table_anytime,
    conditional_regret_table_as_printed,
    conditional_regret_table_fixed,
)
from regretless.theory.conditions import BoxConditions, box_conditions, variance_sum
from regretless.theory.constant_beta import (
    LARGEST_RHO,
    constant_beta_probability,
    constant_beta_regret,
    constant_beta_simple_regret,
    constant_beta_threshold,
    steady_noise_probability,
    steady_noise_probability_as_printed,
    two_point_covariance,
)
from regretless.theory.constraints import (
    expected_regret_optimistic,
    expected_regret_penalised,
    expected_violation_optimistic,
)
from regretless.theory.cross_validation import (
    Calibration,
    LeaveOneOut,
    averaged_calibration,
    calibration,
    leave_one_out,
)
from regretless.theory.delays import delayed_step, expected_regret_batch, expected_regret_delayed, regret_of_delayed_run
from regretless.theory.dominance import (
    deviation_over_dominant_term,
    dominant_term,
    dominates,
    dominates_as_printed,
    least_information_gain,
)
from regretless.theory.events import expected_at_bounds
from regretless.theory.feasible_regret import (
    FeasibleCertificate,
    expected_violation,
    feasible_choice,
    log_prob_feasible,
    remaining_feasible_regret,
)
from regretless.theory.fidelities import (
    best_level,
    expected_regret_budget,
    level_information,
    weighted_variance_sum,
)
from regretless.theory.front_regret import FrontEstimate, epsilon_bound, hypervolume_bound, simulated_front_regret
from regretless.theory.high_probability import (
    gp_ucb_beta,
    high_probability_lemma,
    high_probability_regret_anytime,
    high_probability_regret_as_printed,
    high_probability_regret_fixed,
    high_probability_regret_gp_ucb_anytime,
    high_probability_regret_realised_anytime,
    least_mean_zeta,
)
from regretless.theory.information import (
    InformationGain,
    information_gain,
    information_gain_given,
    information_gain_of_matrix,
    matern_gain_rate,
    rbf_gain_rate,
)
from regretless.theory.interleaved import (
    expected_regret_interleaved,
    expected_regret_interleaved_theorem,
    simple_regret_interleaved,
)
from regretless.theory.lemma import lemma_bound
from regretless.theory.level_set import Misclassification, expected_level_set_loss, misclassification
from regretless.theory.objectives import (
    epsilon_of_boxes,
    expected_hypervolume_scalarisation,
    expected_regret_chebyshev,
    hypervolume_constant,
    hypervolume_regret_of_run,
    hypervolume_scalarisation,
)
from regretless.theory.rice import expected_maximum_on_interval, upcrossing_tail
from regretless.theory.robust import (
    RobustCertificate,
    environment_information,
    expected_aim,
    expected_regret_coherent,
    expected_regret_mean,
    expected_regret_mean_std,
    robust_regret,
    squared_multipliers,
)
from regretless.theory.runs import Step, run_ucb
from regretless.theory.tree import expected_rise, nearest_before, tree_bound, tree_excess
from regretless.theory.zeta_sums import zeta_sum_as_printed, zeta_sum_bound, zeta_sum_quantile

__all__ = [
    "LARGEST_RHO",
    "AveragedCertificate",
    "BestProbability",
    "BoxConditions",
    "Calibration",
    "Certificate",
    "FeasibleCertificate",
    "FrontEstimate",
    "InformationGain",
    "Knee",
    "LeaveOneOut",
    "Misclassification",
    "Plan",
    "RobustCertificate",
    "SimulatedBound",
    "SimulatedRegret",
    "Simulation",
    "Step",
    "anytime_regret",
    "averaged_calibration",
    "averaged_regret",
    "best_level",
    "box_conditions",
    "c1",
    "calibration",
    "care_after",
    "careful_mean",
    "conditional_regret_box_anytime",
    "conditional_regret_box_as_printed",
    "conditional_regret_box_fixed",
    "conditional_regret_table_anytime",
    "conditional_regret_table_as_printed",
    "conditional_regret_table_fixed",
    "constant_beta_probability",
    "constant_beta_regret",
    "constant_beta_simple_regret",
    "constant_beta_threshold",
    "delayed_step",
    "deviation_over_dominant_term",
    "dominant_term",
    "dominates",
    "dominates_as_printed",
    "environment_information",
    "epsilon_bound",
    "epsilon_of_boxes",
    "expected_aim",
    "expected_at_bounds",
    "expected_hypervolume_scalarisation",
    "expected_level_set_loss",
    "expected_maximum_on_interval",
    "expected_regret_batch",
    "expected_regret_box",
    "expected_regret_box_theorem",
    "expected_regret_budget",
    "expected_regret_chebyshev",
    "expected_regret_coherent",
    "expected_regret_delayed",
    "expected_regret_gp_ucb",
    "expected_regret_interleaved",
    "expected_regret_interleaved_theorem",
    "expected_regret_mean",
    "expected_regret_mean_std",
    "expected_regret_optimistic",
    "expected_regret_penalised",
    "expected_regret_table",
    "expected_rise",
    "expected_violation",
    "expected_violation_optimistic",
    "feasible_choice",
    "gp_ucb_beta",
    "grid_error",
    "high_probability_lemma",
    "high_probability_regret_anytime",
    "high_probability_regret_as_printed",
    "high_probability_regret_fixed",
    "high_probability_regret_gp_ucb_anytime",
    "high_probability_regret_realised_anytime",
    "hypervolume_bound",
    "hypervolume_constant",
    "hypervolume_regret_of_run",
    "hypervolume_scalarisation",
    "information_gain",
    "information_gain_given",
    "information_gain_of_matrix",
    "information_gain_of_sum",
    "initial_design_regret",
    "least_information_gain",
    "least_mean_zeta",
    "leave_one_out",
    "lemma_bound",
    "level_information",
    "lifted",
    "log_prob_feasible",
    "markov_fixed",
    "matern_gain_rate",
    "misclassification",
    "mixture_quantile",
    "nearest_before",
    "pass_seconds",
    "plan",
    "rbf_gain_rate",
    "regret_given_data",
    "regret_of_delayed_run",
    "remaining_feasible_regret",
    "remaining_regret",
    "remaining_regret_in_blocks",
    "robust_regret",
    "run_ucb",
    "second_moment_regret",
    "second_moment_regret_fixed",
    "share_unsure",
    "simple_regret",
    "simple_regret_interleaved",
    "simulate",
    "simulated_front_regret",
    "simulated_tail_sum",
    "squared_multipliers",
    "steady_noise_probability",
    "steady_noise_probability_as_printed",
    "tree_bound",
    "tree_excess",
    "two_point_covariance",
    "upcrossing_tail",
    "variance_sum",
    "weighted_variance_sum",
    "zeta_sum_as_printed",
    "zeta_sum_bound",
    "zeta_sum_quantile",
]
