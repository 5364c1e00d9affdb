"""Random mechanisms for the law tests: all that are registered, so that every law runs on a new one."""

import inspect

import numpy as np
from hypothesis import strategies as st

import dptutor as dp

noise = st.floats(0.05, 20.0)
losses = st.floats(0.0, 8.0)


@st.composite
def distributions(draw, size):
    weights = draw(st.lists(st.integers(0, 20), min_size=size, max_size=size).filter(any))
    return (np.array(weights) / sum(weights)).tolist()


@st.composite
def finite_experiments(draw):
    size = draw(st.integers(1, 6))
    return dp.FiniteExperiment(p=draw(distributions(size)), q=draw(distributions(size)))


# What a parameter is given, by its name; one that is not here keeps its default.
PARAMETERS = {
    "sigma": noise,
    "scale": noise,
    "epsilon": losses,
    "delta": st.floats(0.0, 1.0),
    "noise_multiplier": st.floats(0.3, 20.0),
    "sampling_rate": st.floats(0.001, 1.0),
    "direction": st.sampled_from(["add", "remove", "both"]),
    "categories": st.integers(2, 1000),
    "gamma": st.floats(0.0, 1.0),
    # Together with largest losses as those of Laplace noise.
    "threshold_scale": st.floats(0.15, 20.0),
    "answer_scale": st.floats(0.15, 20.0),
    "members": st.integers(1, 5),
    "sensitivities": st.lists(st.floats(0.1, 3.0) | st.just(0.0), min_size=3, max_size=3).filter(any),
    "probabilities": distributions(3),
}


def made(kind):
    """Mechanisms of one kind, with random parameters."""
    given = {name: PARAMETERS[name] for name in inspect.signature(kind).parameters if name in PARAMETERS}
    return st.builds(kind, **given)


# Of mechanisms whose parameters belong together, and of the others by their parameters; compositions have own tests,
# and so do laws on a grid, which take seconds.
OWN = {
    "FiniteExperiment": finite_experiments(),
    # Of farther peaks errors would not be floats.
    "DiscreteGaussian": st.builds(dp.DiscreteGaussian, sigma=st.floats(0.25, 20.0), sensitivity=st.integers(1, 4)),
    # An ε of 0 says nothing.
    **{
        name: st.builds(getattr(dp, name), epsilon=st.floats(0.05, 8.0))
        for name in ("ExponentialMechanism", "PermuteAndFlip")
    },
    "Staircase": st.builds(dp.Staircase, epsilon=st.floats(0.05, 8.0), gamma=st.floats(0.0, 1.0)),
    "ShuffledRandomizedResponse": st.builds(
        dp.ShuffledRandomizedResponse,
        epsilon=st.floats(0.05, 4.0),
        users=st.integers(1, 60),
        bound=st.sampled_from(["upper", "exact"]),
    ),
    "SubsampledDiscreteGaussian": st.builds(
        dp.SubsampledDiscreteGaussian,
        sigma=st.floats(0.25, 20.0),
        sampling_rate=PARAMETERS["sampling_rate"],
        sensitivity=st.integers(1, 4),
        direction=PARAMETERS["direction"],
    ),
    "DiscreteLaplace": st.builds(dp.DiscreteLaplace, scale=noise, sensitivity=st.integers(1, 5)),
}
CLOSED_FORMS = {
    name: OWN[name] if name in OWN else made(getattr(dp, name))
    for name in dp.mechanisms.registry.__all__
    if name not in ("DPSGD", "BallsAndBins", "ShuffledBatches", "TruncatedPoisson")
}


def closed_forms():
    return st.one_of(*CLOSED_FORMS.values())


def mechanisms():
    """Closed forms, and what symmetrizing, joining and meeting makes of them."""
    return st.one_of(
        closed_forms(),
        closed_forms().map(lambda m: m.symmetrized),
        st.builds(dp.join, closed_forms(), closed_forms()),
        st.builds(dp.meet, closed_forms(), closed_forms()),
    )


def symmetric_mechanisms():
    return mechanisms().map(lambda m: m.symmetrized)


alphas = st.floats(0.0, 1.0)
priors = st.floats(0.0, 1.0)
epsilons = st.floats(-12.0, 12.0)
