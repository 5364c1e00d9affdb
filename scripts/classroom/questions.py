"""The questions that a page judges by itself, for learning platforms: Moodle XML, GIFT, QTI 2.1, and 1.2 for Canvas.

A number counts as right within the question's tolerance. Moodle and GIFT also get the mistakes that are known, with
their replies. Formulas are left as they are typed in the exercises, in plain text. If the site has an address (`html:
baseurl` in _config.yml), the explorers of a chapter come before its questions, as frames that show the site's pages.
"""

import re
import zipfile
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import quoteattr

import yaml

import dptutor as dp
from content import ROOT
from dptutor.exercises.judging.calling import numbers
from dptutor.exercises.judging.questions import Question

_QTI = (
    'xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xsi:schemaLocation="http://www.imsglobal.org/xsd/imsqti_v2p1 http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd"'
)


@dataclass(frozen=True)
class Frame:
    """An explorer, shown by the site's page of it."""

    explorer: str
    chapter: int
    site: str

    @property
    def address(self) -> str:
        return f"{self.site}embed/{self.explorer}.html"

    @property
    def title(self) -> str:
        return getattr(dp.explore, self.explorer).title

    @property
    def html(self) -> str:
        return (
            f'<p>{escape(self.title)}</p><iframe src="{escape(self.address)}" title="{escape(self.title)}" '
            'width="100%" height="720" style="border:0" loading="lazy"></iframe>'
        )


def site_address() -> str:
    """The address of the published site; empty if there is none."""
    return yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["html"].get("baseurl", "")


def frames(chapter: int, site: str) -> list[Frame]:
    """The explorers of a chapter, in its order, where they can be seen."""
    if not site:
        return []
    text = next((ROOT / "book").glob(f"{chapter:02}_*.md")).read_text(encoding="utf-8")
    shown = dict.fromkeys(re.findall(r"\bdp\.explore\.(\w+)\([^)]*\)\.frozen\(", text))
    return [Frame(name, chapter, site) for name in shown]


def export(folder: Path, chapters: list[int], site: str | None = None) -> int:
    """Writes questions.xml, .gift.txt, .qti.zip and .qti12.zip; says how many questions they hold."""
    site = site_address() if site is None else site
    asked = [
        exercise
        for exercise in dp.exercises.catalogue()
        if isinstance(exercise, Question) and (not chapters or exercise.chapter in chapters)
    ]
    items: list[Question | Frame] = []
    for chapter, questions in groupby(asked, key=lambda question: question.chapter):
        items += [*frames(chapter, site), *questions]
    folder.mkdir(parents=True, exist_ok=True)
    moodle = "".join(map(_moodle, items))
    xml = f'<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n{moodle}</quiz>\n'
    (folder / "questions.xml").write_text(xml, encoding="utf-8")
    (folder / "questions.gift.txt").write_text("\n".join(map(_gift, items)), encoding="utf-8")
    with zipfile.ZipFile(folder / "questions.qti.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("imsmanifest.xml", _manifest(items))
        for item in items:
            archive.writestr(f"{_name(item)}.xml", _qti(item))
    with zipfile.ZipFile(folder / "questions.qti12.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("imsmanifest.xml", _MANIFEST_12)
        archive.writestr("dptutor.xml", _assessment(items))
    return len(asked)


def _name(question: Question | Frame) -> str:
    if isinstance(question, Frame):
        return f"dptutor-explorer-{question.explorer.replace('_', '-')}-{question.chapter}"
    return f"dptutor-{question.id.replace('.', '-')}"


def _replies(question: Question) -> list[tuple[float, str]]:
    """The mistakes with their replies, each number once."""
    found = {float(numbers(mistake.answer)[0]): mistake.reply for mistake in question.mistakes}
    return list(found.items())


# Moodle XML.


def _moodle(question: Question | Frame) -> str:
    if isinstance(question, Frame):
        return (
            f'<question type="description"><name><text>{escape(question.title)}</text></name>'
            f'<questiontext format="html"><text>{escape(question.html)}</text></questiontext></question>\n'
        )
    head = (
        f"<name><text>{escape(question.id)} {escape(question.title)}</text></name>"
        f'<questiontext format="html"><text>{escape(f"<p>{escape(question.question)}</p>")}</text></questiontext>'
        f'<generalfeedback format="html"><text>{escape(escape(question.explanation))}</text></generalfeedback>'
        f"<defaultgrade>{question.points}</defaultgrade>"
    )
    right, replies = float(question.answer), dict(_replies(question))
    if question.options:
        answers = "".join(
            f'<answer fraction="{100 if number == right else 0}" format="html"><text>{escape(escape(option))}</text>'
            f"{_feedback(question.praise if number == right else replies.get(float(number), ''))}</answer>"
            for number, option in enumerate(question.options, 1)
        )
        kind = "<single>true</single><shuffleanswers>true</shuffleanswers><answernumbering>123</answernumbering>"
        return f'<question type="multichoice">{head}{kind}{answers}</question>\n'
    given = [(right, 100, question.praise), *((wrong, 0, reply) for wrong, reply in replies.items())]
    answers = "".join(
        f'<answer fraction="{share}"><text>{value!r}</text><tolerance>{question.tolerance!r}</tolerance>'
        f"{_feedback(reply)}</answer>"
        for value, share, reply in given
    )
    return f'<question type="numerical">{head}{answers}</question>\n'


def _feedback(text: str) -> str:
    return f'<feedback format="html"><text>{escape(escape(text))}</text></feedback>'


# GIFT.


def _gift(question: Question | Frame) -> str:
    if isinstance(question, Frame):
        return f"::{_plain(question.title)}::[html]{_plain(question.html)}\n"
    right, replies = float(question.answer), dict(_replies(question))
    if question.options:
        lines = [
            f"{'=' if number == right else '~'}{_plain(option)}"
            f"#{_plain(question.praise if number == right else replies.get(float(number), ''))}"
            for number, option in enumerate(question.options, 1)
        ]
    else:
        lines = [f"=%100%{right!r}:{question.tolerance!r}#{_plain(question.praise)}"]
        lines += [f"=%0%{wrong!r}:{question.tolerance!r}#{_plain(reply)}" for wrong, reply in replies.items()]
    body = "\n".join(lines)
    sign = "" if question.options else "#"
    return f"::{_plain(question.id)} {_plain(question.title)}::{_plain(question.question)} {{{sign}\n{body}\n}}\n"


def _plain(text: str) -> str:
    """Text of GIFT, whose signs are escaped."""
    return "".join(f"\\{sign}" if sign in "~=#{}:\\" else sign for sign in " ".join(text.split()))


# QTI 2.1.


def _qti(question: Question | Frame) -> str:
    if isinstance(question, Frame):
        # This dialect of HTML has no iframe.
        return (
            f'<?xml version="1.0" encoding="UTF-8"?>\n<assessmentItem {_QTI} identifier="{_name(question)}" '
            f'title={quoteattr(question.title)} adaptive="false" timeDependent="false"><itemBody>'
            f'<p>{escape(question.title)}</p><p><object data={quoteattr(question.address)} type="text/html" '
            'width="1000" height="720"/></p></itemBody></assessmentItem>\n'
        )
    right = float(question.answer)
    if question.options:
        choices = "".join(
            f'<simpleChoice identifier="c{number}">{escape(option)}</simpleChoice>'
            for number, option in enumerate(question.options, 1)
        )
        declared = (
            f'cardinality="single" baseType="identifier"><correctResponse><value>c{right:g}</value></correctResponse>'
        )
        body = (
            '<choiceInteraction responseIdentifier="RESPONSE" shuffle="true" maxChoices="1">'
            f"<prompt>{escape(question.question)}</prompt>{choices}</choiceInteraction>"
        )
        test = '<match><variable identifier="RESPONSE"/><correct identifier="RESPONSE"/></match>'
    else:
        declared = f'cardinality="single" baseType="float"><correctResponse><value>{right!r}</value></correctResponse>'
        body = f'<p>{escape(question.question)} <textEntryInteraction responseIdentifier="RESPONSE"/></p>'
        test = (
            f'<equal toleranceMode="absolute" tolerance="{question.tolerance!r} {question.tolerance!r}">'
            '<variable identifier="RESPONSE"/><correct identifier="RESPONSE"/></equal>'
        )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<assessmentItem {_QTI} identifier="{_name(question)}" '
        f'title={quoteattr(f"{question.id} {question.title}")} adaptive="false" timeDependent="false">'
        f'<responseDeclaration identifier="RESPONSE" {declared}</responseDeclaration>'
        '<outcomeDeclaration identifier="SCORE" cardinality="single" baseType="float"/>'
        f"<itemBody>{body}</itemBody><responseProcessing><responseCondition><responseIf>{test}"
        '<setOutcomeValue identifier="SCORE">'
        f'<baseValue baseType="float">{question.points}</baseValue></setOutcomeValue>'
        "</responseIf></responseCondition></responseProcessing></assessmentItem>\n"
    )


def _manifest(asked: list[Question | Frame]) -> str:
    resources = "".join(
        f'<resource identifier="{_name(q)}" type="imsqti_item_xmlv2p1" href="{_name(q)}.xml">'
        f'<file href="{_name(q)}.xml"/></resource>'
        for q in asked
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<manifest xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" '
        f'identifier="dptutor"><organizations/><resources>{resources}</resources></manifest>\n'
    )


# QTI 1.2.

_MANIFEST_12 = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<manifest xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" '
    'identifier="dptutor"><organizations/><resources><resource identifier="questions" type="imsqti_xmlv1p2" '
    'href="dptutor.xml"><file href="dptutor.xml"/></resource></resources></manifest>\n'
)


def _assessment(items: list[Question | Frame]) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<questestinterop xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2">'
        '<assessment ident="dptutor" title="dptutor"><section ident="root_section">\n'
        f"{''.join(map(_item, items))}</section></assessment></questestinterop>\n"
    )


def _item(question: Question | Frame) -> str:
    if isinstance(question, Frame):
        return _item_of(_name(question), question.title, "text_only_question", 0, question.html, "", "")
    right = float(question.answer)
    if question.options:
        choices = "".join(
            f'<response_label ident="c{number}"><material><mattext texttype="text/plain">{escape(option)}</mattext>'
            "</material></response_label>"
            for number, option in enumerate(question.options, 1)
        )
        choices = f"<render_choice>{choices}</render_choice>"
        field = f'<response_lid ident="response" rcardinality="Single">{choices}</response_lid>'
        test = f'<varequal respident="response">c{right:g}</varequal>'
    else:
        field = (
            '<response_str ident="response" rcardinality="Single"><render_fib fibtype="Decimal">'
            '<response_label ident="answer"/></render_fib></response_str>'
        )
        low, high = right - question.tolerance, right + question.tolerance
        test = (
            f'<or><varequal respident="response">{right!r}</varequal><and><vargte respident="response">{low!r}</vargte>'
            f'<varlte respident="response">{high!r}</varlte></and></or>'
        )
    judged = (
        '<resprocessing><outcomes><decvar maxvalue="100" minvalue="0" varname="SCORE" vartype="Decimal"/></outcomes>'
        f'<respcondition continue="No"><conditionvar>{test}</conditionvar>'
        '<setvar action="Set" varname="SCORE">100</setvar></respcondition></resprocessing>'
    )
    kind = "multiple_choice_question" if question.options else "numerical_question"
    title = f"{question.id} {question.title}"
    return _item_of(_name(question), title, kind, question.points, f"<p>{escape(question.question)}</p>", field, judged)


def _item_of(ident: str, title: str, kind: str, points: int, html: str, field: str, judged: str) -> str:
    said = "".join(
        f"<qtimetadatafield><fieldlabel>{label}</fieldlabel><fieldentry>{entry}</fieldentry></qtimetadatafield>"
        for label, entry in (("question_type", kind), ("points_possible", points))
    )
    text = f'<material><mattext texttype="text/html">{escape(html)}</mattext></material>'
    return (
        f"<item ident={quoteattr(ident)} title={quoteattr(title)}>"
        f"<itemmetadata><qtimetadata>{said}</qtimetadata></itemmetadata>"
        f"<presentation>{text}{field}</presentation>{judged}</item>\n"
    )
