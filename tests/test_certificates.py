"""Certificates are checked by the program that chapter 7 prints, which knows nothing of the library."""

import ast
import json
import math
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from strategies import mechanisms

import dptutor as dp

PAGE = Path(__file__).resolve().parent.parent / "book/07_delta_divergence.md"
PROGRAM = next(
    cell for cell in re.findall(r"```\{code-cell\} ipython3\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    if "def verified" in cell
)  # fmt: skip
SPACE: dict = {}
exec(PROGRAM, SPACE)
verified = SPACE["verified"]

PAIRS = [
    (dp.Laplace(1), dp.Gaussian(1)),
    (dp.Gaussian(1), dp.Laplace(1)),
    (dp.DPSGD(1, 0.01, 2000), dp.DPSGD(0.6, 0.01, 500)),
    (dp.DPSGD(2, 9e-4, 1_400_000), dp.DPSGD(3, 9e-4, 3_400_000)),
    (dp.FiniteExperiment([0.2, 0.3, 0.5], [0.5, 0.3, 0.2]), dp.Gaussian(1)),
    (dp.SubsampledGaussian(0.5, 0.3, "remove"), dp.SubsampledGaussian(0.8, 0.6, "add")),
]


def test_the_program_is_short_and_imports_nothing_of_ours():
    assert len(PROGRAM.strip().splitlines()) <= 60
    imported = [node for node in ast.walk(ast.parse(PROGRAM)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    names = {alias.name for node in imported for alias in node.names} | {getattr(n, "module", None) for n in imported}
    assert names <= {"json", "math", "exp", None}


@pytest.mark.parametrize(("m", "other"), PAIRS, ids=repr)
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


@settings(max_examples=60)
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
