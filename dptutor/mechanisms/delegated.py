"""A mechanism that is another one under its own name: a training run is a composition of steps, say.

All faces, and what the library asks for when it composes, are those of `_whole`; the name, the parameters and the
direction are its own.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import Self

from .base import Mechanism


class Delegated(Mechanism):
    """Subclasses say what they are, `_whole`, and how they are reversed."""

    @property
    @abstractmethod
    def _whole(self) -> Mechanism:
        """The mechanism that it is."""

    @cached_property
    def _key(self):
        return self._whole._key

    def _parts(self):
        return self._whole._parts()

    @property
    def error_bound(self) -> float:
        return self._whole.error_bound

    @property
    def _bayes_error_bound(self) -> float:
        return self._whole._bayes_error_bound

    def _loss_range(self):
        return self._whole._loss_range()

    def _largest_finite_loss(self):
        return self._whole._largest_finite_loss()

    def _breakpoints(self):
        return self._whole._breakpoints()

    def _errors(self, epsilon):
        return self._whole._errors(epsilon)

    def _delta(self, epsilon):
        return self._whole._delta(epsilon)

    def _delta_error(self, epsilon):
        return self._whole._delta_error(epsilon)

    def _delta_quickly(self, epsilon):
        return self._whole._delta_quickly(epsilon)

    def _delta_at_most(self, epsilon):
        return self._whole._delta_at_most(epsilon)

    def _epsilon(self, delta):
        return self._whole._epsilon(delta)

    def _tradeoff(self, alpha):
        return self._whole._tradeoff(alpha)

    def _bayes_error(self, log_odds):
        return self._whole._bayes_error(log_odds)

    def _tradeoff_error(self, alpha):
        return self._whole._tradeoff_error(alpha)

    def _bayes_error_error(self, log_odds):
        return self._whole._bayes_error_error(log_odds)

    def _epsilon_error(self, delta, epsilon):
        return self._whole._epsilon_error(delta, epsilon)

    def _loss_moments(self, under):
        return self._whole._loss_moments(under)

    def _sample_loss(self, size, under, generator):
        return self._whole._sample_loss(size, under, generator)

    def _renyi(self, order):
        return self._whole._renyi(order)

    def _pair_renyi(self, order):
        return self._whole._pair_renyi(order)

    def _log_hellinger(self, s):
        return self._whole._log_hellinger(s)

    def _log_envelope(self, s):
        return self._whole._log_envelope(s)

    def _hellinger(self, s):
        return self._whole._hellinger(s)

    def _loss_law(self):
        return self._whole._loss_law()

    @property
    def _faces(self):
        return self._whole._faces


class SymmetricDelegated(Delegated):
    """One whose pair is symmetric: subclasses say what they are, `_whole`."""

    @property
    def is_symmetric(self) -> bool:
        return True

    @property
    def reverse(self) -> Self:
        return self
