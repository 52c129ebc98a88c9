"""What becomes of a lesson before it is stored."""

import re

import pytest

from lesson_articles import BODY, TITLE
from scoop.core.briefs import BadReply, Order, SourceText, lesson
from scoop.model import LessonSentence

MARKUP = "The company writes <system> before the name of each ship."


def sentences(*, last: str) -> list[LessonSentence]:
    """The first sentences of the article, enough for B2, and one more."""
    first = re.split(r"(?<=\.)\s+", BODY)[:14]
    return [LessonSentence(text=text, citations=()) for text in (*first, last)]


def an_order(*, is_local: bool) -> Order:
    source = SourceText(document_id=1, title=TITLE, body_text=f"{BODY} {MARKUP}", language="en", publisher="Tribune")
    return Order(kind="lesson", language="en", documents=(source,), level="B1", is_final=True, is_local=is_local)


def test_the_local_grader_loses_a_sentence_with_markup_and_keeps_the_rest():
    checked = lesson.check(sentences(last=MARKUP), an_order(is_local=True))
    assert len(checked.sentences) == 14
    assert MARKUP not in checked.lesson_text


def test_a_model_that_writes_markup_is_refused():
    with pytest.raises(BadReply, match="markup"):
        lesson.check(sentences(last=MARKUP), an_order(is_local=False))
