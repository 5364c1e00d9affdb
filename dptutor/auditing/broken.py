"""Mistakes that a private training run can make, each as a small change of one line.

From outside they all look the same: the model trains, noise is added, the claimed ε is printed. An audit has to
distinguish them from the training that they claim to be.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FIRST_STEP_ONLY", "FLAWS", "HALF_THE_NOISE", "NO_CLIPPING", "SAME_NOISE", "SOUND", "Flaw"]


@dataclass(frozen=True)
class Flaw:
    """How a training run deviates from what it claims.

    Parameters
    ----------
    name : str
    clips : bool
        Whether gradients are clipped.
    noise : float
        What the standard deviation of the noise is multiplied by.
    first_step_only : bool
        Whether only the first step adds noise.
    same_noise : bool
        Whether every step adds the same draw, as happens if the generator is seeded again at every step.

    References
    ----------
    In the book: chapter 13, :prf:ref:`prop-flaws`.

    Examples
    --------
    >>> import dptutor as dp
    >>> dp.auditing.SOUND
    Flaw(name='sound', clips=True, noise=1.0, first_step_only=False, same_noise=False)
    >>> [flaw.name for flaw in dp.auditing.FLAWS]
    ['no clipping', 'noise for half the sensitivity', 'noise added once', 'seed reused at every step']
    >>> dp.auditing.HALF_THE_NOISE.noise, dp.auditing.NO_CLIPPING.clips
    (0.5, False)
    >>> dp.auditing.FIRST_STEP_ONLY.first_step_only, dp.auditing.SAME_NOISE.same_noise
    (True, True)
    """

    name: str
    clips: bool = True
    noise: float = 1.0
    first_step_only: bool = False
    same_noise: bool = False


SOUND = Flaw("sound")
NO_CLIPPING = Flaw("no clipping", clips=False)
# The sensitivity of neighbors that lack an example, where the claim is about neighbors that replace one.
HALF_THE_NOISE = Flaw("noise for half the sensitivity", noise=0.5)
FIRST_STEP_ONLY = Flaw("noise added once", first_step_only=True)
SAME_NOISE = Flaw("seed reused at every step", same_noise=True)

FLAWS = (NO_CLIPPING, HALF_THE_NOISE, FIRST_STEP_ONLY, SAME_NOISE)
