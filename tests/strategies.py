"""Random mechanisms for the law tests. A new mechanism is added here once, and every law runs on it."""

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


CLOSED_FORMS = {
    "Gaussian": st.builds(dp.Gaussian, sigma=noise),
    "Laplace": st.builds(dp.Laplace, scale=noise),
    "RandomizedResponse": st.builds(dp.RandomizedResponse, epsilon=losses),
    "ApproximateDP": st.builds(dp.ApproximateDP, epsilon=losses, delta=st.floats(0.0, 1.0)),
    "PerfectPrivacy": st.just(dp.PerfectPrivacy()),
    "BlatantlyNonPrivate": st.just(dp.BlatantlyNonPrivate()),
    "FiniteExperiment": finite_experiments(),
    "SubsampledGaussian": st.builds(
        dp.SubsampledGaussian,
        noise_multiplier=st.floats(0.3, 20.0),
        sampling_rate=st.floats(0.001, 1.0),
        direction=st.sampled_from(["add", "remove", "both"]),
    ),
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
