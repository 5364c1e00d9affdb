"""Questions for learning platforms: each in three formats, with the right answer of the library."""

import re
import xml.etree.ElementTree as tree
import zipfile

import pytest

import dptutor as dp
from classroom import questions
from dptutor.exercises.questions import Question

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
