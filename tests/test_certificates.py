"""Certificates are checked by the programs that the reference prints, which know nothing of the library."""

import ast
import json
import math

import numpy as np
import pytest
from conftest import examples
from hypothesis import given, settings
from laws import ORDER_PROGRAM, PROGRAM, checked, verified, verified_order
from strategies import mechanisms

import dptutor as dp
from dptutor.comparing.certificates import certified

PAIRS = [
    (dp.Laplace(1), dp.Gaussian(1)),
    (dp.Gaussian(1), dp.Laplace(1)),
    (dp.DPSGD(1, 0.01, 2000), dp.DPSGD(0.6, 0.01, 500)),
    (dp.DPSGD(2, 9e-4, 1_400_000), dp.DPSGD(3, 9e-4, 3_400_000)),
    (dp.FiniteExperiment([0.2, 0.3, 0.5], [0.5, 0.3, 0.2]), dp.Gaussian(1)),
    (dp.SubsampledGaussian(0.5, 0.3, "remove"), dp.SubsampledGaussian(0.8, 0.6, "add")),
]
# Losses that differ by less than e^ε can show.
CLOSE = (
    dp.BlatantlyNonPrivate(),
    dp.SubsampledDiscreteGaussian(0.7802554833759668, 3.5915915423428863e-08, 1, members=9),
)


def test_the_program_is_short_and_imports_nothing_of_ours():
    assert len(PROGRAM.strip().splitlines()) <= 60
    imported = [node for node in ast.walk(ast.parse(PROGRAM)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    names = {alias.name for node in imported for alias in node.names} | {getattr(n, "module", None) for n in imported}
    assert names <= {"json", "math", "exp", None}


@pytest.mark.parametrize(("m", "other"), [*PAIRS, CLOSE], ids=repr)
def test_a_certificate_is_verified_and_close(m, other):
    found = dp.delta_divergence(m, other)
    certificate = found.certificate
    assert found.value <= certificate.bound <= found.value + 1.1e-9
    assert len(certificate.json()) < 30_000
    assert verified(certificate.json(), m.privacy_profile, other.privacy_profile)


@pytest.mark.parametrize(("m", "other"), PAIRS, ids=repr)
def test_corrupted_certificates_are_rejected(m, other):
    found = dp.delta_divergence(m, other)
    good = json.loads(found.certificate.json())
    at = min(range(len(good["points"])), key=lambda k: abs(good["points"][k][0] - found.epsilon))

    def rejected(**changes):
        return not verified(json.dumps(good | changes), m.privacy_profile, other.privacy_profile)

    def with_points(change):
        points = [list(point) for point in good["points"]]
        change(points)
        return rejected(points=points)

    assert rejected(bound=found.value - 1e-9)
    assert rejected(bound=good["bound"] / 2)
    assert rejected(points=[])
    assert rejected(points=good["points"][at + 1 :])
    assert rejected(points=good["points"][: max(at - 1, 0)])
    assert rejected(points=good["points"][::-1])
    assert rejected(points=good["points"][::9])
    for column in (0, 1, 2):
        for shift in (1e-6, -1e-6):
            assert with_points(lambda points, c=column, s=shift: points[at].__setitem__(c, points[at][c] + s))
    assert not verified(json.dumps(good), other.privacy_profile, m.privacy_profile)


@pytest.mark.deep
@settings(max_examples=examples(60))
@given(mechanisms(), mechanisms())
def test_every_divergence_has_a_certificate(a, b):
    found = dp.delta_divergence(a, b)
    certificate = found.certificate
    assert found.value <= certificate.bound <= found.value + 1e-5  # looser where curves coincide
    slack = 1e-9 if math.isfinite(certificate.bound) else 0.0
    assert verified(certificate.json(), a.privacy_profile, b.privacy_profile, slack)


def test_a_weighted_divergence_has_none():
    with pytest.raises(ValueError, match="without prior_density"):
        _ = dp.delta_divergence(dp.Gaussian(), dp.Laplace(), prior_density=dp.jeffreys_prior).certificate


# Certificates of an order.

PROVEN_BY_NUMBERS = [
    (dp.Gaussian(0.5), dp.Laplace(1)),
    (dp.RandomizedResponse(1), dp.Laplace(1)),
    (dp.ApproximateDP(1, 1e-3), dp.Laplace(2)),
    (dp.FiniteExperiment([0.1, 0.4, 0.5], [0.6, 0.3, 0.1]), dp.FiniteExperiment([0.3, 0.7], [0.4, 0.6])),
    (dp.ApproximateDP(0.5, 0.2) @ dp.Gaussian(1), dp.Laplace(2) @ dp.Laplace(3)),
    (dp.SubsampledGaussian(0.3, 0.5, "remove"), dp.Laplace(4)),
    (dp.SubsampledGaussian(0.2, 0.5), dp.Laplace(3)),
    (dp.ApproximateDP(0.5, 0.2), dp.Gaussian(3)),
]
REFUTED = [
    (dp.Gaussian(1), dp.Laplace(1)),
    (dp.DPSGD(3, 9e-4, 3_400_000), dp.DPSGD(2, 9e-4, 1_400_000)),
    (dp.SubsampledGaussian(1, 0.1, "add"), dp.SubsampledGaussian(1, 0.1, "remove")),
    (dp.Gaussian(2), dp.join(dp.Gaussian(3), dp.Laplace(1))),
    (dp.FiniteExperiment([0.45, 0.55], [0.4, 0.6]), dp.FiniteExperiment([0.3, 0.7], [0.4, 0.6])),
]
BY_ORDER = [(dp.RandomizedResponse(60), dp.Gaussian(1))]


def test_the_program_for_orders_is_short_and_imports_nothing_of_ours():
    assert len(ORDER_PROGRAM.strip().splitlines()) <= 60
    imported = [node for node in ast.walk(ast.parse(ORDER_PROGRAM)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert {getattr(node, "module", None) for node in imported} == {"math", None}


@pytest.mark.parametrize(("m", "other"), PROVEN_BY_NUMBERS, ids=repr)
def test_an_order_that_is_proven_by_numbers_has_a_table_that_is_verified(m, other):
    answer = dp.dominance(m, other)
    assert answer.verdict == "proven"
    certificate = answer.certificate
    assert len(certificate.pairs) == 2
    assert len(certificate.json()) < 40_000
    assert checked(m, other, certificate.json()) is True
    assert dp.OrderCertificate.from_json(certificate.json()) == certificate


@pytest.mark.parametrize(("m", "other"), [*REFUTED, *BY_ORDER], ids=repr)
def test_a_refutation_is_verified(m, other):
    answer = dp.dominance(m, other)
    assert answer.verdict == "refuted"
    certificate = answer.certificate
    assert checked(m, other, certificate.json()) is True
    assert dp.OrderCertificate.from_json(certificate.json()) == certificate
    good = json.loads(certificate.json())
    place, first, second = good["witness"]
    for witness in ([place, second, first], [place, first, second * 1.01], [place, 0.99 * first, second],
                    [place, first, first]):  # fmt: skip
        if witness != good["witness"]:
            assert not checked(m, other, json.dumps(good | {"witness": witness}))
    assert not checked(other, m, certificate.json())
    assert not checked(m, m, certificate.json())


def test_a_refutation_by_a_rényi_order_needs_the_divergences():
    m, other = BY_ORDER[0]
    pair = m.privacy_profile, other.privacy_profile
    assert verified_order(dp.dominance(m, other).certificate.json(), pair, pair) is False


@pytest.mark.parametrize(("m", "other"), PROVEN_BY_NUMBERS, ids=repr)
def test_corrupted_certificates_of_an_order_are_rejected(m, other):
    good = json.loads(dp.dominance(m, other).certificate.json())

    def rejected(change, side=0, of=(m, other)):
        pairs = [{**pair, "points": [list(point) for point in pair["points"]]} for pair in good["pairs"]]
        change(pairs[side])
        return not checked(*of, json.dumps(good | {"pairs": pairs}))

    for side in (0, 1):
        points = good["pairs"][side]["points"]
        assert rejected(lambda pair: pair["points"].clear(), side)
        assert rejected(lambda pair: pair["points"].reverse(), side)
        assert rejected(lambda pair: pair.update({"points": [p for p in pair["points"] if p[0] > 0]}), side)
        assert rejected(lambda pair: pair.update({"points": pair["points"][:1] + pair["points"][-2:]}), side)
        assert rejected(lambda pair: pair.update({"from": pair["from"] / 2 + 1e-3}), side)
        settled = other.privacy_profile(0.0) <= m.privacy_profile(math.inf)
        assert rejected(lambda pair: pair.update({"from": 0.0}), side) != settled
        for column in (1, 2):
            at = len(points) // 2
            if points[at][column]:
                for factor in (1 + 1e-6, 1 - 1e-6):
                    changed = factor * points[at][column]
                    assert rejected(lambda pair, c=column, k=at, x=changed: pair["points"][k].__setitem__(c, x), side)
    assert not checked(m, other, json.dumps(good | {"pairs": good["pairs"][:1]}))
    assert not checked(other, m, json.dumps(good))


def test_a_table_of_a_false_order_is_not_verified():
    # Honest values at honest points, of two profiles that cross.
    m, other = dp.Laplace(1), dp.ApproximateDP(0.9, 0.02)
    assert dp.dominance(m, other).verdict == "refuted"
    nodes = [-0.1, *(k / 40 for k in range(41)), 1.1]
    points = [[e, m.privacy_profile(e), other.privacy_profile(e)] for e in nodes]
    for start in nodes[1:-1]:
        pair = {"from": start, "theorem": "", "points": points}
        assert not checked(m, other, json.dumps({"verdict": "proven", "pairs": [pair, pair]}))


def test_what_a_theorem_proves_names_it():
    for m, other in [(dp.Gaussian(1), dp.Gaussian(2)), (dp.DPSGD(2, 0.01, 500), dp.DPSGD(3, 0.01, 400)),
                     (dp.BlatantlyNonPrivate(), dp.Laplace(1))]:  # fmt: skip
        certificate = dp.dominance(m, other).certificate
        assert certificate.pairs == ()
        assert certificate.reason
        assert checked(m, other, certificate.json()) is None


def test_what_is_undecided_has_no_certificate():
    answer = dp.Dominance("undecided", "no violation where δ is more than 1e-20", down_to=1e-20)
    with pytest.raises(ValueError, match="undecided: no violation"):
        _ = answer.certificate


@settings(max_examples=examples(60))
@given(mechanisms(), mechanisms())
def test_every_answer_has_a_certificate_that_is_not_wrong(a, b):
    answer = dp.dominance(a, b)
    if answer.verdict == "undecided":
        return
    certificate = answer.certificate
    right = checked(a, b, certificate.json())
    assert right is not False or certificate.witness[1] > certificate.witness[2] * (1 - 1e-11)
    if certificate.pairs:
        assert right


@pytest.mark.parametrize("epsilon", [1e-17, -3e-18])
def test_losses_next_to_0(epsilon):
    # 0 is a place, too, and e^ε is the same there.
    with np.errstate(all="raise"):
        found = certified(dp.Laplace(4), dp.Gaussian(2), 0.5, epsilon)
    assert verified(found.json(), dp.Laplace(4).privacy_profile, dp.Gaussian(2).privacy_profile)
