"""What readers type into the search, and what stands first then.

The second half was written down by readers who knew the contents of the book but had not seen the search.
"""

import pytest

# What is typed, and what the first hit is called and where it is; of a hit in `several`, either.
SEARCHES = {
    "blackwell": "6 Blackwell’s order, Chapter",
    "composition": "9 Composition and accounting, Chapter",
    "calibration point": "Calibration point, Term",
    "trade-off function": "2 Trade-off functions and f-DP, Chapter",
    "δ": "δ(ε): privacy profile, Symbol",
    "tight composition": "9 Composition and accounting, Chapter",
    "delta_divergence": "dp.delta_divergence, Function",
    "gausian": "Gaussian",
    "priavcy profile": "Privacy profile, Term",
    "zCDP": "zcdp",
    "glossary": "Glossary, Page",
    "your own run": "Your own run, Page",
    "explorers": "Explorers, Page",
    "κ": "κ: success probability of a blind guess, Symbol",
    "clip": "Clipping, Term",
    "composition explorer": ", Explorer in 9 Composition and accounting",
    "solutions": "Exercises",
    "marking": "or instructors",
    "randomised response": "andomized response",
    # By readers.
    "trade off function": "2 Trade-off functions and f-DP, Chapter",
    "blackwell theorem": "Theorem 6.2 (Blackwell), Statement",
    "privacy profle": "Privacy profile, Term",
    "delta divergence": "7 The Δ-divergence, Chapter",
    "what is G_mu": "Gaussian differential privacy, Term",
    "subsampeling amplification": "Corollary 9.3 (Amplification by subsampling), Statement",
    "exercise ch 9 composition": "Exercises 9 Composition and accounting, Notebook",
    "dp-sgd noise multiplier epsilon": "11 DP-SGD in practice, Chapter",
    "bayesian adversery prior": "5 The Bayesian adversary, Chapter",
    "erata": "Errata of the sources, Page",
    "clopper pearson audit": "Theorem 13.7 (Clopper and Pearson), Statement",
    "dptutor compose": "Composition, Section in The library",
    "neyman pearson lemma": "Theorem 1.6 (Neyman and Pearson), Statement",
    "gausian dp": "Gaussian differential privacy, Term",
    "Δ divergence": "Δ-divergence, Term",
    "δ(ε)": "δ(ε): privacy profile, Symbol",
    "dong roth su": "All sources, Section in References",
    "tradeoff curve interactive": ", Explorer in",
    "solutions ch 5": "Exercises 5 The Bayesian adversary, Notebook",
    "eratum kaissis": "Errata of the sources, Page",
    "lecture composition": "Lecture 9: composition and accounting, Notebook",
    "subsampling amplif": "Corollary 9.3 (Amplification by subsampling), Statement",
    "hyperprior": "Hyper-prior, Term",
    "auditing clopper pearson": "Clopper–Pearson interval, Term",
    "bayes eror function": "Bayes error, Term",
    "noise multiplier for target epsilon": "How much Gaussian noise does an (ε, δ) need?, Explorer",
    "dp.delta_divergence": "dp.delta_divergence, Function",
    "rdp vs prv accountant": "The second accountant: Rényi divergences, Section",
    "posion sampling vs shuffling": "Poisson sampling, Term",
    "balls and bims": "Balls and bins, Term",  # “bias” is as close, and the book says it less often
    "same epsilon different sigma which is safer": "4 Why one (ε, δ) is not enough, Chapter",
    "blackwel dominance": "Blackwell dominance, Term",
    "epsilon lower bound from tpr fpr": "18 Audits that may stop, Chapter",
    "rero bound": "Theorem 11.1 (Reconstruction), Statement",
    "sample_rate 0.01 sigma 1.1 60 epochs": "Your own run, Page",
    "what does ⊗ mean": "n-fold composition, Symbol",
    "delta 1e-5 how to choose": "20 Capstone: choose and defend, Chapter",
    "10^-5 accountant from scratch": "An exact accountant from scratch, Section",
    "sample_rate 0.01 delta 1e-5": "Your own run, Page",
    "privacy loss distrbution notebook": "3 Privacy loss and the privacy profile, Chapter",
}


@pytest.fixture(scope="module")
def search(chromium, site_url):
    page = chromium.new_page()
    page.goto(site_url + "search.html?q=advantage")
    page.wait_for_selector("#search-results li")

    def hits(query):
        page.fill("#search-words", query)
        lines = page.locator("#search-results li").all()[:3]
        return [", ".join(line.locator(part).text_content() for part in ("a", ".search-where")) for line in lines]

    hits.page = page
    yield hits
    page.close()


@pytest.mark.cases(6)
@pytest.mark.parametrize("query", SEARCHES)
def test_what_is_meant_is_found_first(search, query):
    assert SEARCHES[query] in search(query)[0], search(query)


def test_a_search_says_what_it_did_with_the_words(search):
    told = search.page.locator(".search-told")
    for query, says in (
        ("privacy profle", "found for “privacy profile”"),
        ("xylophone advantage", "This book does not say “xylophone”"),
        ("clopper hyperprior", "No place has all of these words"),
        ("xylophone", "No results."),
        ("", ""),
    ):
        search(query)
        assert says in told.text_content(), query


def test_what_a_formula_raises_is_raised_in_a_quotation(search):
    search("hockey stick")
    quoted = search.page.locator("#search-results .context")
    assert "e" in quoted.first.text_content()
    assert quoted.first.locator("sup").all_text_contents()[0] == "ε"
    assert "^" not in "".join(quoted.all_text_contents()[:5])


def test_what_is_typed_step_by_step_leads_there_before_its_end(search):
    for query, first in (("blackw", "Blackwell"), ("trade-of", "rade-off"), ("hyper-p", "Hyper-prior")):
        assert first in search(query)[0]
