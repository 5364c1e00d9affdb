"""The tasks of the benchmark in the words of each program: one class a program, one method a task it can do.

A method gets a setting (σ, p, steps) and returns what the task asks for. Peers are used as their documentation does,
at the accuracy they choose; a second dp-accounting with a ten times finer grid shows what its accuracy depends on.
"""

from __future__ import annotations

import functools
import math
import operator

import numpy as np
from dp_accounting import GaussianDpEvent, PoissonSampledDpEvent, SelfComposedDpEvent, calibrate_dp_mechanism
from dp_accounting.mechanism_calibration import ExplicitBracketInterval
from dp_accounting.pld import PLDAccountant
from dp_accounting.pld.privacy_loss_distribution import (
    from_discrete_gaussian_mechanism,
    from_discrete_laplace_mechanism,
    from_gaussian_mechanism,
    from_randomized_response,
)
from prv_accountant import PoissonSubsampledGaussianMechanism, PRVAccountant
from riskcal.analysis import get_bayes_risk_from_pld
from riskcal.calibration import (
    CalibrationConfig,
    CalibrationTarget,
    calibrate_parameter,
    create_dpsgd_epsilon_evaluator,
)

import dptutor as dp

# σ and p of a hundred different steps.
MIXTURE = tuple((0.6 + 0.01 * k, 0.005 + 0.0001 * k) for k in range(100))


class Dptutor:
    """Ours."""

    name = "dptutor"

    def curve(self, setting, priors):
        return dp.DPSGD(*setting).bayes_error(priors)

    def epsilon(self, setting, delta):
        return dp.DPSGD(*setting).epsilon(delta)

    def profile(self, setting, epsilon):
        return dp.DPSGD(*setting).privacy_profile(epsilon)

    def mixture(self, parts, delta):
        return functools.reduce(operator.matmul, (dp.SubsampledGaussian(*part) for part in parts)).epsilon(delta)

    def whole_numbers(self, name, delta):
        made = {
            "discrete Gaussian noise": lambda: dp.DiscreteGaussian(10.0) ** 100,
            "discrete Laplace noise": lambda: dp.DiscreteLaplace(10.0) ** 500,
            "randomized response among ten": lambda: dp.KaryRandomizedResponse(0.2, 10) ** 200,
        }
        return made[name]().epsilon(delta)

    def divergence(self, setting, other):
        return float(dp.delta_divergence(dp.DPSGD(*setting), dp.DPSGD(*other)))

    def calibration(self, rate, steps, epsilon, delta):
        return dp.calibrate(lambda s: dp.DPSGD(s, rate, steps), epsilon=epsilon, delta=delta).noise_multiplier


class DpAccounting:
    """Google's accountant, privacy loss distributions on a grid."""

    def __init__(self, interval=1e-4):
        self.name = f"dp-accounting, grid {interval:g}"
        self._interval = interval

    def _loss(self, setting):
        sigma, rate, steps = setting
        part = from_gaussian_mechanism(sigma, sampling_prob=rate, value_discretization_interval=self._interval)
        return part.self_compose(steps)

    def curve(self, setting, priors):
        # δ is that of the worse direction, hence R symmetric: half of it is enough.
        epsilon = np.abs(np.log(priors / (1 - priors)))
        values, back = np.unique(epsilon, return_inverse=True)
        delta = np.asarray(self._loss(setting).get_delta_for_epsilon(values))[back]
        return np.minimum(priors, 1 - priors) if delta.ndim == 0 else (1 - delta) / (1 + np.exp(epsilon))

    def epsilon(self, setting, delta):
        return self._loss(setting).get_epsilon_for_delta(delta)

    def profile(self, setting, epsilon):
        return np.asarray(self._loss(setting).get_delta_for_epsilon(epsilon))

    def mixture(self, parts, delta):
        losses = [self._loss((*part, 1)) for part in parts]
        return functools.reduce(lambda first, second: first.compose(second), losses).get_epsilon_for_delta(delta)

    def whole_numbers(self, name, delta):
        width = {"value_discretization_interval": self._interval}
        lie = 10 / (math.exp(0.2) + 9)  # the probability of an answer by chance, which may be the true one
        made = {
            "discrete Gaussian noise": lambda: from_discrete_gaussian_mechanism(10.0, **width).self_compose(100),
            "discrete Laplace noise": lambda: from_discrete_laplace_mechanism(0.1, **width).self_compose(500),
            "randomized response among ten": lambda: from_randomized_response(lie, 10, **width).self_compose(200),
        }
        return made[name]().get_epsilon_for_delta(delta)

    def divergence(self, setting, other):
        epsilon = np.linspace(0, 8, 2000)
        deltas = [np.asarray(self._loss(s).get_delta_for_epsilon(epsilon)) for s in (setting, other)]
        return float(np.max((deltas[1] - deltas[0]) / (1 + np.exp(epsilon)), initial=0.0))

    def calibration(self, rate, steps, epsilon, delta):
        def event(sigma):
            return SelfComposedDpEvent(PoissonSampledDpEvent(rate, GaussianDpEvent(sigma)), steps)

        accountant = functools.partial(PLDAccountant, value_discretization_interval=self._interval)
        interval = ExplicitBracketInterval(0.1, 3.0) if rate < 1e-3 else ExplicitBracketInterval(0.3, 3.0)
        return calibrate_dp_mechanism(accountant, event, epsilon, delta, interval, tol=1e-8)


class FineDpAccounting(DpAccounting):
    """The same with a finer grid; a calibration would take minutes."""

    def __init__(self):
        super().__init__(1e-5)

    calibration = None


class PrvAccountant:
    """Microsoft's accountant, privacy random variables on a grid."""

    name = "prv-accountant"

    def epsilon(self, setting, delta):
        sigma, rate, steps = setting
        part = PoissonSubsampledGaussianMechanism(noise_multiplier=sigma, sampling_probability=rate)
        accountant = PRVAccountant(prvs=part, max_self_compositions=steps, eps_error=0.01, delta_error=delta / 1000)
        return accountant.compute_epsilon(delta, steps)[1]

    def mixture(self, parts, delta):
        made = [PoissonSubsampledGaussianMechanism(noise_multiplier=s, sampling_probability=p) for s, p in parts]
        accountant = PRVAccountant(
            prvs=made, max_self_compositions=[1] * len(made), eps_error=0.01, delta_error=delta / 1000
        )
        return accountant.compute_epsilon(delta, [1] * len(made))[1]


class Riskcal(DpAccounting):
    """Operational risks, on top of dp-accounting."""

    def __init__(self):
        super().__init__()
        self.name = "riskcal"

    def curve(self, setting, priors):
        return get_bayes_risk_from_pld(self._loss(setting), priors)

    epsilon = divergence = profile = mixture = whole_numbers = None

    def calibration(self, rate, steps, epsilon, delta):
        evaluator = create_dpsgd_epsilon_evaluator(rate, steps, delta)
        config = CalibrationConfig(param_min=0.1 if rate < 1e-3 else 0.3, param_max=3.0, increasing=False)
        target = CalibrationTarget(kind="epsilon_delta", epsilon=epsilon, delta=delta)
        return calibrate_parameter(evaluator, target, config, parameter_name="noise_multiplier").parameter_value
