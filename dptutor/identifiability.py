"""What a mechanism says about one person: how sure an adversary can become, and how much it can gain or rebuild.

An adversary that gives prior π to Q believes in it, after an answer of loss L, with

    ρ = e^L / (e^L + (1−π)/π),    so    logit ρ = L + logit π,

which bounds the belief under (ε, 0)-differential privacy, and makes the law of the loss the law of the belief. Its
expected advantage over guessing at π = ½ is the total variation of the pair, and a reconstruction that succeeds blindly
with probability κ succeeds with at most 1 − f(κ).

Sources: Bernau et al. (2021), theorems 1 and 2, equations 10 and 15; Kaissis et al. (2023), theorem 2.
"""

from __future__ import annotations

import numpy as np
from scipy.special import erf, erfinv, expit, logit

from ._validation import real_array, real_number, shaped
from .mechanisms.base import as_mechanism

__all__ = [
    "epsilon_for_expected_advantage",
    "epsilon_for_posterior_belief",
    "expected_advantage_bound",
    "posterior_belief_bound",
    "reconstruction_bound",
]


def posterior_belief_bound(epsilon, prior=0.5):
    """Largest posterior belief ρ = 1/(1 + e^{−ε} (1−π)/π) of an adversary under (ε, 0)-differential privacy.

    Under (ε, δ) with δ > 0 beliefs exceed it with a probability that the loss has to tell,
    `m.privacy_loss.sf(epsilon)`, and that may be larger than δ.

    Parameters
    ----------
    epsilon : float or array_like
        ε ≥ 0, of the whole composition.
    prior : float
        Belief π in (0, 1) before the answer.

    References
    ----------
    Bernau et al. (2021), theorem 1.

    Examples
    --------
    >>> import dptutor as dp
    >>> round(dp.posterior_belief_bound(2.2), 4)
    0.9002
    """
    epsilon = real_array("epsilon", epsilon, 0.0)
    return shaped(expit(epsilon + logit(_prior(prior))))


def epsilon_for_posterior_belief(belief, prior=0.5):
    """The ε at which the posterior belief is bounded by `belief`: ε = logit ρ − logit π.

    Parameters
    ----------
    belief : float or array_like
        ρ between the prior and 1.
    prior : float
        Belief π in (0, 1) before the answer.

    References
    ----------
    Bernau et al. (2021), equation 10.
    """
    prior = _prior(prior)
    return shaped(logit(real_array("belief", belief, prior, 1.0)) - logit(prior))


def expected_advantage_bound(epsilon, delta):
    """Expected advantage ρ = 2Φ(ε/(2√(2 ln(1.25/δ)))) − 1 against the classically calibrated Gaussian mechanism.

    The classical σ = √(2 ln(1.25/δ))/ε is proven private for ε < 1 only. The advantage against any mechanism, without
    the detour, is `m.advantage`.

    Parameters
    ----------
    epsilon : float or array_like
        ε ≥ 0.
    delta : float or array_like
        δ in (0, 1].

    References
    ----------
    Bernau et al. (2021), theorem 2.
    """
    return shaped(erf(real_array("epsilon", epsilon, 0.0) / (2 * np.sqrt(2) * _classical(delta))))


def epsilon_for_expected_advantage(advantage, delta):
    """The ε at which the classically calibrated Gaussian mechanism has this advantage: 2√(2 ln(1.25/δ)) Φ⁻¹((ρ+1)/2).

    Parameters
    ----------
    advantage : float or array_like
        ρ in [0, 1].
    delta : float or array_like
        δ in (0, 1].

    References
    ----------
    Bernau et al. (2021), equation 15, where the factor 2 in front is missing.
    """
    return shaped(2 * np.sqrt(2) * _classical(delta) * erfinv(real_array("advantage", advantage, 0.0, 1.0)))


def reconstruction_bound(mechanism, prior_success):
    """Largest probability 1 − f(κ) with which data can be reconstructed.

    Parameters
    ----------
    mechanism : Mechanism
    prior_success : float or array_like
        κ in [0, 1], the probability with which the best guess succeeds that has not seen the answer.

    Returns
    -------
    float or ndarray
        At least κ, in its shape.

    References
    ----------
    Kaissis et al. (2023), theorem 2; Hayes, Mahloujifar & Balle (2023) for the adversary.
    """
    success = real_array("prior_success", prior_success, 0.0, 1.0)
    return shaped(1.0 - as_mechanism("mechanism", mechanism)._tradeoff(success))


def _prior(value) -> float:
    return real_number("prior", value, 0.0, 1.0, open_low=True, open_high=True)


def _classical(delta):
    """σ ε of the classical Gaussian mechanism of sensitivity 1."""
    return np.sqrt(2 * np.log(1.25 / real_array("delta", delta, 0.0, 1.0, open_low=True)))
