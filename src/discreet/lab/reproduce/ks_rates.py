"""How near a private sample comes to the distribution, over n: the rates of Wasserman and Zhou (2010) put to the test.

KS distance between the true distribution and the points released, in one dimension:

- smoothed histogram: n^(1/7) cells, n^(4/7) points, the smallest delta that is private (their section 4.1; rate n^(-2/7));
- perturbed histogram: n^(1/3) cells, Laplace(2/epsilon) noise, clipped and renormalised, n points (section 4.2);
- exponential mechanism under the KS distance with its default number of points, drawn exactly (section 5; rate n^(-1/3));
- n records themselves, which is no private method.

The paper compares bounds and has no such figure. In one dimension its bound for the exponential mechanism is above that of the
perturbed histogram, and so are the distances here.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.lab.densities.beta_mixture import BetaMixture
from discreet.lab.densities.distances import ks_distance
from discreet.lab.reproduce.bench import PLAIN, Bench, Job
from discreet.lab.reproduce.study import Study
from discreet.mechanisms import SmoothedHistogram
from discreet.mechanisms.choices.kolmogorov import KolmogorovDistance
from discreet.noise import Laplace, calibrate
from discreet.privacy import PureDP

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

NAME, TITLE = "ks-rates", "How near does a private sample come to the distribution?"
SOURCE = "Wasserman and Zhou (2010), sections 4 and 5 (bounds; the paper has no such figure)"
SECONDS, FULL_SECONDS = 40, 400

DENSITIES = {"uniform": BetaMixture([(1, 1)]), "beta(10, 10)": BetaMixture([(10, 10)])}
EPSILONS = (1.0, 0.1)
SIZES = (100, 300, 1000, 3000, 10_000)
METHODS = ("no privacy", "perturbed histogram", "exponential mechanism", "smoothed histogram")
LARGEST = {"exponential mechanism": 3000}
"""The largest n of the exact sampler here: the time of a draw grows like n^2."""

STEPS = 2**12


def distances(
    method: str, density: str, n: int, epsilon: float, rng: np.random.Generator, count: int
) -> dict[str, Floats]:
    """The KS distances of `count` private samples, each of n fresh records."""
    truth, draw = DENSITIES[density], {"no privacy": _records, "smoothed histogram": _smoothed}.get(method)
    draw = draw or {"perturbed histogram": _perturbed, "exponential mechanism": _exponential}[method]
    found = [ks_distance(draw(truth.sample(n, rng), epsilon, rng), truth) for _ in range(count)]
    return {"distance": np.array(found)}


def _records(x: Floats, epsilon: float, rng: np.random.Generator) -> Floats:
    return x


def _perturbed(x: Floats, epsilon: float, rng: np.random.Generator) -> Floats:
    n, m = x.size, round(x.size ** (1 / 3))
    noisy = np.histogram(x, m, (0, 1))[0] + Laplace(calibrate.laplace(PureDP(epsilon), 2)).sample(m, rng)
    weights = np.maximum(noisy, 0.0)
    shares = weights / weights.sum() if weights.any() else np.full(m, 1 / m)
    return np.asarray((rng.choice(m, n, p=shares) + rng.random(n)) / m)


def _smoothed(x: Floats, epsilon: float, rng: np.random.Generator) -> Floats:
    mechanism = SmoothedHistogram().for_sample(None, steps=STEPS, n=x.size, guarantee=PureDP(epsilon))
    m = mechanism.cells
    shares = (1 - mechanism.delta) * np.histogram(x, m, (0, 1))[0] / x.size + mechanism.delta / m
    k = mechanism.size
    return np.asarray((rng.choice(m, k, p=shares / shares.sum()) + rng.random(k)) / m)


def _exponential(x: Floats, epsilon: float, rng: np.random.Generator) -> Floats:
    from discreet.curator.releasing.samplers.kolmogorov import Sampler

    mechanism = KolmogorovDistance().for_sample(None, steps=STEPS, n=x.size, guarantee=PureDP(epsilon))
    counts = np.bincount(np.rint(x * STEPS).astype(int), minlength=STEPS + 1)
    sampler, source = Sampler(mechanism, np.cumsum(counts).tolist()), random.Random(int(rng.integers(2**63)))

    def choose(weights: list[int]) -> int:
        sums = list(accumulate(weights))
        return bisect_right(sums, source.randrange(sums[-1]))

    codes = None
    while codes is None:
        codes = sampler.attempt(choose)
    return np.array(codes) / STEPS


def run(*, full: bool = False, seed: int = 1, bench: Bench = PLAIN) -> Study:
    """Simulate it: 40 samples a point, in full 400."""
    samples = 400 if full else 40
    settings = [
        (method, density, n, epsilon)
        for density in DENSITIES
        for epsilon in EPSILONS
        for method in METHODS
        for n in SIZES
        if n <= LARGEST.get(method, n)
    ]
    jobs = [
        Job(
            partial(distances, method, density, n, epsilon),
            samples,
            {"figure": NAME, "method": method, "density": density, "n": n, "epsilon": epsilon},
            chunk=20,
            work=1.0 + n * (n / 3000 if method in LARGEST else 1e-3),
        )
        for method, density, n, epsilon in settings
    ]
    columns: dict[str, list[Any]] = {name: [] for name in ("density", "epsilon", "method", "n", "distance", "error")}
    for (method, density, n, epsilon), found in zip(settings, bench.simulate(jobs, seed), strict=True):
        d = found["distance"]
        row = (density, epsilon, method, n, float(d.mean()), float(d.std(ddof=1) / np.sqrt(d.size)))
        for values, value in zip(columns.values(), row, strict=True):
            values.append(value)
    words = (
        f"mean of KS(F, points) over {samples:,} data sets of n records in [0, 1]; bars: two standard errors; settings ours; "
        f"seed {seed}\nsmoothed: n^(1/7) cells (2 to 4 here), n^(4/7) points; perturbed: n^(1/3) cells, n points;\n"
        "exponential: n^(2/3) points, at most epsilon n/10, drawn exactly, n up to 3,000"
    )
    return Study(NAME, TITLE, words, columns, picture)


def picture(study: Study) -> Figure:
    """One panel a density and epsilon."""
    from discreet.view.rates_plot import rates_plot

    return rates_plot(study.title, study.settings, study.rows())
