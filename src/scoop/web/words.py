"""The word list of a learner: words that are due, all words, and their reviews."""

from typing import Annotated

from fastapi import Form, Response

from scoop.actions import learners as actions
from scoop.core.word_reviews import ANSWERS, Answer
from scoop.http import routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, ReadConn, WriteConn
from scoop.http.errors import Unauthenticated
from scoop.http.params import RecordId, ShortText
from scoop.http.routes import needs
from scoop.store import learner_words
from scoop.web import pages
from scoop.web.context import PageContext

router = routes.for_pages()

Sentence = Annotated[str, Form(max_length=2_000)]


@router.get("/listen/words")
@needs("read")
async def words_page(conn: ReadConn, context: PageContext, by: CurrentVisitor) -> Response:
    """The words of a person: one that is due for review, and all of them."""
    if by.user_id is None:
        raise Unauthenticated
    words = await learner_words.list_words(conn, by.user_id)
    due = [word for word in words if word.due_at <= context.now]
    return pages.page("words.html", context, words=words, due=due, answers=ANSWERS)


@router.post("/listen/words")
@needs("read")
async def add_word(
    conn: WriteConn,
    desk: CurrentDesk,
    by: CurrentVisitor,
    word: Annotated[ShortText, Form()],
    example: Sentence = "",
    lesson_id: Annotated[RecordId | None, Form()] = None,
) -> Response:
    """Add a word without a script."""
    if by.user_id is None:
        raise Unauthenticated
    added = await actions.add_word(conn, by.user_id, word, example=example, lesson_id=lesson_id, now=desk.clock())
    return pages.redirect_with_notice("/listen/words", notice=f"Added: {added.lemma}.")


@router.post("/listen/words/{word_id}/review")
@needs("read")
async def review_word(
    conn: WriteConn, desk: CurrentDesk, by: CurrentVisitor, word_id: RecordId, answer: Annotated[Answer, Form()]
) -> Response:
    if by.user_id is None:
        raise Unauthenticated
    await actions.review_word(conn, by.user_id, word_id, answer, now=desk.clock())
    return pages.redirect_with_notice("/listen/words")


@router.post("/listen/words/{word_id}/remove")
@needs("read")
async def remove_word(conn: WriteConn, by: CurrentVisitor, word_id: RecordId) -> Response:
    if by.user_id is None:
        raise Unauthenticated
    await learner_words.remove(conn, by.user_id, word_id)
    return pages.redirect_with_notice("/listen/words", notice="Word removed.")
