"""From (ε, δ) to the μ = Δ/σ of a Gaussian mechanism and back, by three methods.

    exact        δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ)
    renyi        ε = μ²/2 + μ √(2 ln(1/δ)),    the best order of ε = s μ²/2 + ln(1/δ)/(s − 1)
    classical    ε = μ √(2 ln(1.25/δ)),    proven for ε < 1 only

Steps on the same data compose to μ = √Σμ_i², so k steps with the total μ found here need z = √k/μ each.

Sources: Balle & Wang (2018), theorem 8; Mironov (2017), proposition 3; Dwork & Roth (2014), appendix A.
"""

from __future__ import annotations

import math

from .._validation import choice, positive_number, real_number
from ..mechanisms import Gaussian
from ..risk.calibration import calibrate

__all__ = ["gaussian_epsilon", "gaussian_mu"]

_METHODS = ("exact", "renyi", "classical")


def gaussian_mu(epsilon: float, delta: float, *, method: str = "exact") -> float:
    """The μ of the Gaussian mechanism that is exactly (ε, δ)-differentially private, by one of the three methods.

    Parameters
    ----------
    epsilon : float
        ε > 0.
    delta : float
        δ in (0, 1).
    method : str
        "exact", "renyi" or "classical".

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range, or the method another word.

    References
    ----------
    Balle & Wang (2018), theorem 8; Mironov (2017), proposition 3; Dwork & Roth (2014), appendix A.

    Examples
    --------
    >>> from dptutor.auditing import gaussian_mu
    >>> [round(gaussian_mu(2.2, 0.01, method=method), 4) for method in ("exact", "renyi", "classical")]
    [0.9619, 0.6544, 0.708]
    """
    epsilon, delta = positive_number("epsilon", epsilon), _delta(delta)
    if choice("method", method, _METHODS) == "classical":
        return epsilon / math.sqrt(2 * math.log(1.25 / delta))
    if method == "renyi":
        tail = math.sqrt(-2 * math.log(delta))
        return 2 * epsilon / (math.sqrt(tail**2 + 2 * epsilon) + tail)
    return calibrate(lambda sigma: Gaussian(sigma=sigma), epsilon=epsilon, delta=delta).mu


def gaussian_epsilon(mu: float, delta: float, *, method: str = "exact") -> float:
    """The ε at δ of the Gaussian mechanism with μ, by one of the three methods; the inverse of `gaussian_mu`.

    Parameters
    ----------
    mu : float
        μ in [0, ∞].
    delta : float
        δ in (0, 1).
    method : str
        "exact", "renyi" or "classical".

    Returns
    -------
    float
        ε in [0, ∞], infinite where μ is.

    Raises
    ------
    ValueError
        If an argument is out of range, or the method another word.

    References
    ----------
    Balle & Wang (2018), theorem 8; Mironov (2017), proposition 3; Dwork & Roth (2014), appendix A.

    Examples
    --------
    >>> from dptutor.auditing import gaussian_epsilon
    >>> [round(gaussian_epsilon(0.5, 0.01, method=method), 4) for method in ("exact", "renyi", "classical")]
    [0.9195, 1.6424, 1.5538]
    """
    mu, delta = real_number("mu", mu, 0.0) + 0.0, _delta(delta)  # no −0
    choice("method", method, _METHODS)
    if mu == 0 or math.isinf(mu):
        return mu
    if method == "exact":
        return Gaussian(sigma=1 / mu).epsilon(delta)
    if method == "renyi":
        return mu * (mu / 2 + math.sqrt(-2 * math.log(delta)))
    return mu * math.sqrt(2 * math.log(1.25 / delta))


def _delta(value: float) -> float:
    return real_number("delta", value, 0.0, 1.0, open_low=True, open_high=True)
