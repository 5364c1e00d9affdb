"""Questions for learning platforms: each in three formats, with the right answer of the library."""

import re
import xml.etree.ElementTree as tree
import zipfile

import pytest
from conftest import approx

import dptutor as dp
from classroom import questions
from dptutor.exercises.judging.questions import Question

ASKED = [exercise for exercise in dp.exercises.catalogue() if isinstance(exercise, Question)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("questions")
    assert questions.export(made, []) == len(ASKED)
    return made


def test_moodle_gets_every_question_with_its_right_answer(folder):
    found = tree.parse(folder / "questions.xml").getroot().findall("question")
    assert len(found) == len(ASKED)
    for element, question in zip(found, ASKED, strict=True):
        answers = element.findall("answer")
        full = [place for place, answer in enumerate(answers) if answer.get("fraction") == "100"]
        assert len(full) == 1 and answers[full[0]].findtext("feedback/text")
        if question.options:
            assert full[0] + 1 == question.answer and len(answers) == len(question.options)
        else:
            assert question.check(float(answers[full[0]].findtext("text")))
            for answer in answers[1:]:
                assert not question.check(float(answer.findtext("text")))


def test_gift_is_balanced_and_escaped(folder):
    text = (folder / "questions.gift.txt").read_text(encoding="utf-8")
    bare = re.sub(r"\\.", "", text)
    assert bare.count("{") == bare.count("}") == len(ASKED) == bare.count("::") / 2


def test_qti_holds_an_item_for_each_question(folder):
    space = "{http://www.imsglobal.org/xsd/imsqti_v2p1}"
    with zipfile.ZipFile(folder / "questions.qti.zip") as archive:
        manifest = tree.fromstring(archive.read("imsmanifest.xml"))
        named = [file.get("href") for file in manifest.iter("{http://www.imsglobal.org/xsd/imscp_v1p1}file")]
        assert len(named) == len(ASKED) and set(named) <= set(archive.namelist())
        for name, question in zip(named, ASKED, strict=True):
            right = tree.fromstring(archive.read(name)).find(f".//{space}correctResponse/{space}value").text
            assert question.check(float(right.removeprefix("c")))


def test_canvas_gets_every_question_with_its_right_answer(folder):
    space = "{http://www.imsglobal.org/xsd/ims_qtiasiv1p2}"
    with zipfile.ZipFile(folder / "questions.qti12.zip") as archive:
        tree.fromstring(archive.read("imsmanifest.xml"))
        items = tree.fromstring(archive.read("dptutor.xml")).findall(f".//{space}item")
    assert len(items) == len(ASKED)
    for item, question in zip(items, ASKED, strict=True):
        assert question.check(float(item.find(f".//{space}varequal").text.removeprefix("c")))
        assert len(item.findall(f".//{space}response_label")) == max(1, len(question.options))
        if not question.options:
            low, high = (float(item.find(f".//{space}{name}").text) for name in ("vargte", "varlte"))
            assert low <= question.answer <= high
            assert high - low == approx(2 * question.tolerance, rel=1e-6, abs=1e-15)


def embedded(folder):
    """The addresses of explorers in each of the exports."""
    moodle = (folder / "questions.xml").read_text(encoding="utf-8")
    gift = (folder / "questions.gift.txt").read_text(encoding="utf-8").replace("\\", "")
    with zipfile.ZipFile(folder / "questions.qti.zip") as archive:
        qti = "".join(archive.read(name).decode() for name in archive.namelist() if name.startswith("dptutor-explorer"))
    with zipfile.ZipFile(folder / "questions.qti12.zip") as archive:
        canvas = archive.read("dptutor.xml").decode()
    return [re.findall(r"https://[\w./]+/embed/\w+\.html", text) for text in (moodle, gift, qti, canvas)]


def test_explorers_are_embedded_where_the_site_has_an_address(tmp_path):
    assert questions.export(tmp_path, [1, 7], "https://example.org/dp/") == sum(q.chapter in {1, 7} for q in ASKED)
    first, *others = embedded(tmp_path)
    assert {"https://example.org/dp/embed/threshold_test.html", "https://example.org/dp/embed/duel.html"} <= set(first)
    assert [sorted(found) for found in others] == [sorted(first)] * 3
    shown = {address.rsplit("/", 1)[-1].removesuffix(".html") for address in first}
    assert shown <= set(dp.explore.__all__) and len(shown) == len(first)
    kinds = [element.get("type") for element in tree.parse(tmp_path / "questions.xml").getroot()]
    assert kinds.count("description") == len(first) and kinds[0] == "description"


def test_without_an_address_nothing_is_embedded(folder):
    assert questions.site_address() == ""
    assert embedded(folder) == [[], [], [], []]
