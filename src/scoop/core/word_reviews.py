"""When a word is reviewed next: spaced repetition by FSRS, the scheduler of Anki."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from fsrs import Card, Rating, Scheduler, State

Answer = Literal["again", "hard", "good", "easy"]
ANSWERS: tuple[Answer, ...] = get_args(Answer)
RATINGS = {answer: Rating[answer.title()] for answer in ANSWERS}
SCHEDULER = Scheduler(enable_fuzzing=False)  # with the published weights; fuzzing would make dates random


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewCard:
    """What the scheduler knows of a word, and when it is due."""

    state: Mapping[str, Any]
    due_at: datetime


def new_card(now: datetime) -> ReviewCard:
    """The card of a word that was just met: it is due at once."""
    return _stored(Card(card_id=0, due=now.astimezone(UTC)))


def reviewed(state: Mapping[str, Any], answer: Answer, now: datetime) -> ReviewCard:
    """The card after an answer."""
    card = Card(
        card_id=0,
        state=State(state["state"]),
        step=state["step"],
        stability=state["stability"],
        difficulty=state["difficulty"],
        due=_moment(state["due"]),
        last_review=_moment(state["last_review"]) if state["last_review"] else None,
    )
    changed, _ = SCHEDULER.review_card(card, RATINGS[answer], now.astimezone(UTC))
    return _stored(changed)


def _stored(card: Card) -> ReviewCard:
    state = {
        "state": card.state.value,
        "step": card.step,
        "stability": card.stability,
        "difficulty": card.difficulty,
        "due": card.due.isoformat(),
        "last_review": card.last_review.isoformat() if card.last_review else None,
    }
    return ReviewCard(state=state, due_at=card.due)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
