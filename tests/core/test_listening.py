"""The choice of a day's articles for learners."""

from datetime import UTC, datetime

from scoop.core import listening
from scoop.core.listening import ListeningCandidate

AT = datetime(2024, 5, 16, tzinfo=UTC)


def a_candidate(document_id: int, publishers: int, *, is_chosen: bool = False) -> ListeningCandidate:
    return ListeningCandidate(
        document_id=document_id,
        event_id=document_id,
        title=f"Article {document_id}",
        publishers=publishers,
        last_seen_at=AT,
        weight=0,
        is_chosen=is_chosen,
    )


def chosen(candidates: list[ListeningCandidate], words: dict[int, int], limit: int) -> list[int]:
    ranked = listening.rank(candidates, at=AT, limit=limit)
    return [choice.document_id for choice in listening.choose(ranked, words, limit=limit)]


def test_an_article_with_text_for_every_level_comes_before_a_better_one_without() -> None:
    candidates = [a_candidate(1, 9), a_candidate(2, 5), a_candidate(3, 2)]
    assert chosen(candidates, {1: 90, 2: 400, 3: 400}, 2) == [2, 3]


def test_an_article_with_little_text_is_chosen_where_there_is_no_other() -> None:
    assert chosen([a_candidate(1, 9), a_candidate(2, 5, is_chosen=True)], {1: 90}, 2) == [1]


def test_only_the_best_articles_are_compared_by_their_text() -> None:
    candidates = [a_candidate(number, 40 - number) for number in range(1, 6)]
    words = {number: 400 if number > listening.COMPARED else 90 for number in range(1, 6)}
    assert chosen(candidates, words, 1) == [1]
