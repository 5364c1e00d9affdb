"""Published parameters of releases: each number stands in its quote, and follows from another or does not."""

import json
import re
from fractions import Fraction
from math import log, sqrt
from pathlib import Path

import pytest
from conftest import approx

import dptutor as dp
from dptutor.accounting import zcdp_to_epsilon

STORED = json.loads((Path(__file__).parent.parent / "dptutor" / "releases.json").read_text(encoding="utf-8"))
RELEASES = {release["id"]: release for release in STORED["releases"]}
NUMBERS = [(release["id"], number) for release in RELEASES.values() for number in release["numbers"]]


def of(name):
    return {number["symbol"]: number["value"] for number in RELEASES[name]["numbers"]}


def rho_of(scale):
    """ρ of a configuration: its scale is squared and inverted, as budget.py of the production code does."""
    return float(1 / Fraction(scale) ** 2)


def read(text):
    """A number as sources write it: 17.14, 10^{-10}, 7 × 10−9, 10−5."""
    power = re.fullmatch(r"(?:([\d.]+) × )?10(?:\^\{)?[-−](\d+)\}?", text)
    return float(f"{power[1] or 1}e-{power[2]}") if power else float(text)


def test_there_are_more_than_ten_releases_each_once():
    assert len(STORED["releases"]) == len(RELEASES) >= 10


@pytest.mark.parametrize("release", RELEASES.values(), ids=str)
def test_a_release_has_a_source_a_date_and_a_unit_in_its_words(release):
    assert release["source"].startswith("https://")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", release["date"])
    assert release["record"].endswith(".yaml")
    assert release["unit"] and release["unit_quote"]
    assert (release["neighbors"] is None) == (release["neighbors_quote"] is None)
    assert (release["mechanism"] is None) == (release["mechanism_quote"] is None)


@pytest.mark.parametrize(("name", "number"), NUMBERS, ids=str)
def test_a_number_stands_in_its_quote_as_written(name, number):
    assert re.search(rf"(?<![\d.]){re.escape(number['as_written'])}(?!\d|\.\d)", number["quote"])
    if number["symbol"] == "global_scale":
        assert number["value"] == number["as_written"]
    else:
        assert read(number["as_written"]) == number["value"]
    assert number["source"] == "record" or number["source"].startswith("https://")


def test_the_license_of_the_records_is_kept():
    assert "MIT License, Copyright (c) 2025 OpenDP" in STORED["license"]
    assert "THE SOFTWARE IS PROVIDED" in STORED["license"]


@pytest.mark.parametrize("name", ["census-persons", "census-units"])
def test_the_redistricting_file_converts_the_unrounded_rho(name):
    values = of(name)
    rho = rho_of(values["global_scale"])
    assert round(rho, 2) == values["rho"]
    assert round(zcdp_to_epsilon(rho, values["delta"]), 2) == values["epsilon"]
    assert round(zcdp_to_epsilon(values["rho"], values["delta"]), 2) != values["epsilon"]


@pytest.mark.parametrize("name", ["census-dhc-persons", "census-dhc-units"])
def test_the_later_census_file_fits_the_looser_conversion_and_not_the_tighter(name):
    values = of(name)

    def between(convert):
        low, high = (convert(values["rho"] + 0.005 * sign) for sign in (-1, 1))
        return low - 0.005 <= values["epsilon"] <= high + 0.005

    assert between(lambda rho: rho + 2 * sqrt(rho * log(1 / values["delta"])))
    assert not between(lambda rho: zcdp_to_epsilon(rho, values["delta"]))


def test_the_pair_of_the_census_allows_almost_everything_and_its_noise_does_not():
    values = of("census-persons")
    assert dp.ApproximateDP(values["epsilon"], values["delta"]).advantage == approx(0.99999993, abs=5e-9)
    assert dp.Gaussian((2 * values["rho"]) ** -0.5).advantage == approx(0.742, abs=5e-4)


def test_sums_that_the_sources_state():
    mobility = of("google-mobility")
    parts = [mobility[f"epsilon of {what}"] for what in ("visits", "residences", "workplaces")]
    assert sum(parts) == approx(mobility["epsilon"], rel=1e-12)
    # A visit counts for the country, the state and the county; four of them a day.
    visit = 2 * mobility["epsilon of a country or state count"] + mobility["epsilon of a county count"]
    assert parts == approx([4 * visit, visit, visit], rel=1e-12)


def test_the_library_reads_what_is_stored():
    releases = dp.datasets.releases()
    assert list(releases) == list(RELEASES)
    for name, release in releases.items():
        assert release.numbers == {symbol: float(Fraction(value)) for symbol, value in of(name).items()}
        assert release.unit == RELEASES[name]["unit"] and release.quotes["unit"]
        assert not re.search(r"\\|\{", " ".join(release.quotes.values()))
        assert release.facts


def test_the_pair_of_the_url_data_fits_its_gaussian_parameter():
    values = of("facebook-urls")
    low, high = (dp.Gaussian(1 / (values["mu"] + 0.0005 * sign)).epsilon(values["delta"]) for sign in (-1, 1))
    assert low <= values["epsilon"] <= high
