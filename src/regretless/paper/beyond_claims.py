"""What we claim beyond the paper, judged like its own claims."""

import math

import numpy as np
from scipy.stats import binomtest

from regretless.paper.claims import Claim, verdict_of
from regretless.paper.results import Results, arms_tail, beyond_curves, figure_curves

__all__ = ["beyond"]


def beyond(results: Results) -> list[Claim]:
    """The rules on the grid, the parameters of figure 1, the tail on two arms, and the gaps."""
    return [*_rules(results), _parameters(results), _tail(results), _lemma(results)]


def _rules(results: Results) -> list[Claim]:
    curves, delta = beyond_curves(results), results.settings.numbers["delta"]
    last = {key: (curve["regret"][-1], curve["error"][-1], curve["bound"][-1]) for key, curve in curves.items()}
    T = int(curves["irgp-ucb"]["t"][-1])

    def less(a: str, b: str) -> tuple[bool | None, str]:
        """Whether a has less regret than b by two standard errors of the difference."""
        difference = last[a][0] - last[b][0]
        error = math.hypot(last[a][1], last[b][1])
        number = f"regret {last[a][0]:.1f}±{last[a][1]:.1f} against {last[b][0]:.1f}±{last[b][1]:.1f} at T = {T}"
        return (None if abs(difference) <= 2.0 * error else difference < 0.0), number

    kept = all(bool((c["regret"] + 3.0 * c["error"] <= c["bound"]).all()) for k, c in curves.items() if k != "ats")
    tight, tight_number = less("tight", "irgp-ucb")
    anytime, anytime_number = less("anytime", "gp-ucb")
    out, runs = (int(sum(b[name][-1] for b in results.runs("grid", "anytime"))) for name in ("outside", "runs"))
    low = binomtest(out, runs).proportion_ci(0.95, method="exact").low
    return [
        Claim(
            "Every rule with a bound stays below it on average, at every T.",
            "; ".join(f"{k}: {last[k][0]:.1f} against {last[k][2]:.0f}" for k in curves if k != "ats") + f" at T = {T}",
            verdict_of(kept),
        ),
        Claim(
            "The tight law has less regret than the paper's, with the same theorem.", tight_number, verdict_of(tight)
        ),
        Claim(
            "GP-UCB with the anytime parameter has less regret than with one that grows with log t.",
            anytime_number,
            verdict_of(anytime),
            "Both hold for all T at once with the same probability.",
        ),
        Claim(
            f"f stays inside the anytime band at every candidate and every step, with probability {1 - delta:g}.",
            f"it left the band in {out} of {runs} runs",
            verdict_of(low <= delta),
        ),
    ]


def _parameters(results: Results) -> Claim:
    curves = figure_curves(results)
    paper, tight, ats = (curves[key] for key in ("irgp-ucb", "tight", "ats"))
    less = all(bool((tight[name] < paper[name]).all()) for name in ("mean", "lower", "upper"))
    apart = (tight["mean"][-1] - ats["mean"][-1]) / ats["error"][-1]
    below = None if abs(apart) < 2.0 else bool(apart > 0.0)
    means = {key: curves[key]["mean"][-1] for key in ("rgp-ucb", "gp-ucb", "irgp-ucb", "tight")}
    listed = ", ".join(f"{key} {mean:.1f}" for key, mean in means.items())
    return Claim(
        "On the table of the paper's first figure the tight law has a smaller parameter than the paper's, and ATS "
        "needs a smaller one still.",
        f"at t = {paper['t'][-1]:.0f} the mean is {listed}, ats {ats['mean'][-1]:.1f}±{ats['error'][-1]:.1f}",
        verdict_of(None if less and below is None else less and below),
    )


def _tail(results: Results) -> Claim:
    tail, T = arms_tail(results), results.settings.numbers["arms_horizon"]
    listed = "; ".join(f"P(R > {r:g}) = {share:.2g}" for r, share in zip(tail["r"], tail["share"], strict=True))
    rare = tail["share"] <= 0.5  # before that it is not a tail
    r, logs = tail["r"][rare], np.log(tail["share"][rare])
    # Through the first two points there is one exponential tail; a heavier one is far above it at the last.
    heavy = None
    if len(r) >= 3:
        slope = (logs[1] - logs[0]) / (r[1] - r[0])
        heavy = bool(logs[-1] > logs[0] + slope * (r[-1] - r[0]) + math.log(3.0))
    return Claim(
        "Two arms: with a law that does not grow, the tail of the regret is heavier than exponential, so that no bound "
        "with log(1/δ) holds for every δ.",
        f"T = {T:,}: {listed}",
        verdict_of(heavy),
        "Proved for T to infinity. Here it can only be seen that the tail is more than three times an exponential one.",
    )


def _lemma(results: Results) -> Claim:
    gaps = results.runs("gaps", "gaps")[0]
    agrees = bool((np.abs(gaps["simulated"] - gaps["truth"]) <= 4.0 * gaps["error"] + 1e-9).all())
    above = gaps["truth"] > gaps["fixed"]
    first = f"from {gaps['t'][above.argmax()]:.2g} gaps on" if above.any() else "not yet at the largest number of gaps"
    holds = bool(above.any() and (gaps["growing"] >= gaps["truth"]).all() and agrees)
    return Claim(
        "On a continuous domain the key lemma fails for any law that does not grow; a shift of 2 log(number of gaps) "
        "is enough on Brownian motion.",
        f"E f* / max sd = {gaps['truth'][-1]:.2f} at {gaps['t'][-1]:.2g} gaps, E √ζ = {gaps['fixed'][-1]:.2f} with the "
        f"shift of 1,000 candidates, {gaps['growing'][-1]:.2f} with 2 log t; the fixed law is too small {first}",
        verdict_of(holds),
        "Whether the regret itself needs the growth is open.",
    )
