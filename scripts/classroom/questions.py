"""The questions that a page judges by itself, for learning platforms: Moodle XML, GIFT, and QTI 2.1.

A number counts as right within the question's tolerance. Moodle and GIFT also get the mistakes that are known, with
their replies. Formulas are left as they are typed in the exercises, in plain text.
"""

import zipfile
from html import escape
from pathlib import Path
from xml.sax.saxutils import quoteattr

import dptutor as dp
from dptutor.exercises.questions import Question

_QTI = (
    'xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xsi:schemaLocation="http://www.imsglobal.org/xsd/imsqti_v2p1 http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd"'
)


def export(folder: Path, chapters: list[int]) -> int:
    """Writes questions.xml, questions.gift.txt and questions.qti.zip; says how many questions they hold."""
    asked = [
        exercise
        for exercise in dp.exercises.catalogue()
        if isinstance(exercise, Question) and (not chapters or exercise.chapter in chapters)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    moodle = "".join(map(_moodle, asked))
    xml = f'<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n{moodle}</quiz>\n'
    (folder / "questions.xml").write_text(xml, encoding="utf-8")
    (folder / "questions.gift.txt").write_text("\n".join(map(_gift, asked)), encoding="utf-8")
    with zipfile.ZipFile(folder / "questions.qti.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("imsmanifest.xml", _manifest(asked))
        for question in asked:
            archive.writestr(f"{_name(question)}.xml", _qti(question))
    return len(asked)


def _name(question: Question) -> str:
    return f"dptutor-{question.id.replace('.', '-')}"


def _replies(question: Question) -> list[tuple[float, str]]:
    """The mistakes with their replies, each number once."""
    found = {float(dp.exercises.core.numbers(mistake.answer)[0]): mistake.reply for mistake in question.mistakes}
    return list(found.items())


# Moodle XML.


def _moodle(question: Question) -> str:
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


def _gift(question: Question) -> str:
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


def _qti(question: Question) -> str:
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


def _manifest(asked: list[Question]) -> str:
    resources = "".join(
        f'<resource identifier="{_name(q)}" type="imsqti_item_xmlv2p1" href="{_name(q)}.xml">'
        f'<file href="{_name(q)}.xml"/></resource>'
        for q in asked
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<manifest xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" '
        f'identifier="dptutor"><organizations/><resources>{resources}</resources></manifest>\n'
    )
