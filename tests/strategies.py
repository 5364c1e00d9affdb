"""Random mechanisms for the law tests: all that are registered, so that every law runs on a new one."""

import ast
import doctest
import inspect
from contextlib import suppress

import numpy as np
from hypothesis import reject
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


# What a parameter is drawn from, by its name. Any other keeps its default, or has the value in the documentation.
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


def documented(kind):
    """The arguments, by name, of the first call in the example of a mechanism that has only literals."""
    source = "".join(example.source for example in doctest.DocTestParser().get_examples(inspect.getdoc(kind)))
    for call in ast.walk(ast.parse(source)):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == f"dp.{kind.__name__}":
            with suppress(ValueError):
                words = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
                return inspect.signature(kind).bind(*map(ast.literal_eval, call.args), **words).arguments
    return {}


def made(kind, **drawn):
    """Mechanisms of one kind, with random parameters, of which those that it refuses are drawn anew."""
    given, shown = dict(drawn), documented(kind)
    for name, parameter in inspect.signature(kind).parameters.items():
        if name in PARAMETERS:
            given.setdefault(name, PARAMETERS[name])
        elif name not in given and parameter.default is parameter.empty:
            assert name in shown, f"the example of dp.{kind.__name__} shows no literal for {name}"
            given[name] = st.just(shown[name])

    def accepted(**arguments):
        try:
            return kind(**arguments)
        except ValueError:
            reject()

    return st.builds(accepted, **given)


# Of a kind whose parameters belong together, or that says something only in a part of their ranges.
OWN = {
    "FiniteExperiment": finite_experiments(),
    # Of farther peaks errors would not be floats.
    "DiscreteGaussian": made(dp.DiscreteGaussian, sigma=st.floats(0.25, 20.0), sensitivity=st.integers(1, 4)),
    # An ε of 0 says nothing.
    **{name: made(getattr(dp, name), epsilon=st.floats(0.05, 8.0))
       for name in ("ExponentialMechanism", "PermuteAndFlip", "Staircase")},
    "ShuffledRandomizedResponse": made(
        dp.ShuffledRandomizedResponse,
        epsilon=st.floats(0.05, 4.0),
        users=st.integers(1, 60),
        bound=st.sampled_from(["upper", "exact"]),
    ),
    "SubsampledDiscreteGaussian": made(
        dp.SubsampledDiscreteGaussian, sigma=st.floats(0.25, 20.0), sensitivity=st.integers(1, 4)
    ),
    "DiscreteLaplace": made(dp.DiscreteLaplace, sensitivity=st.integers(1, 5)),
}  # fmt: skip
# Compositions have own tests, and so do laws on a grid, which take seconds.
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
