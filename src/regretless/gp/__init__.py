"""The surrogate: kernels, exact posterior, posterior over a table, evidence, fit, function draws."""

from regretless.gp.additive import Additive, AdditivePosterior, additive_setting
from regretless.gp.averaging import Drawn, Settings, draw_settings
from regretless.gp.belief import Belief, Candidates, Model
from regretless.gp.blocks import BlockPosterior, Found, block_posterior
from regretless.gp.draws import Paths, draw_on_table, draw_paths, prior_factor
from regretless.gp.estimation import fit, left_out_density
from regretless.gp.fidelity import Discrepancy, FidelityKernel, LevelDiscrepancy, TruncatedDiscrepancy
from regretless.gp.groups import Grouped, SummedKernel, grouped, summed
from regretless.gp.hyperparameters import Hyperparameters
from regretless.gp.kernels import Kernel
from regretless.gp.noise import Noise, pooled
from regretless.gp.outcome_transform import Expansion, Units
from regretless.gp.places import is_one_hill
from regretless.gp.regression import PointMoments, Posterior, posterior
from regretless.gp.schedule import fitted_to, refit_due
from regretless.gp.surrogate import Surrogate
from regretless.gp.table import TablePosterior, table_posterior
from regretless.gp.transfer import Source, TaskKernel

__all__ = [
    "Additive",
    "AdditivePosterior",
    "Belief",
    "BlockPosterior",
    "Candidates",
    "Discrepancy",
    "Drawn",
    "Expansion",
    "FidelityKernel",
    "Found",
    "Grouped",
    "Hyperparameters",
    "Kernel",
    "LevelDiscrepancy",
    "Model",
    "Noise",
    "Paths",
    "PointMoments",
    "Posterior",
    "Settings",
    "Source",
    "SummedKernel",
    "Surrogate",
    "TablePosterior",
    "TaskKernel",
    "TruncatedDiscrepancy",
    "Units",
    "additive_setting",
    "block_posterior",
    "draw_on_table",
    "draw_paths",
    "draw_settings",
    "fit",
    "fitted_to",
    "grouped",
    "is_one_hill",
    "left_out_density",
    "pooled",
    "posterior",
    "prior_factor",
    "refit_due",
    "summed",
    "table_posterior",
]
