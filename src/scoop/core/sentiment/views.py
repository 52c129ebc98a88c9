"""How a target is seen: its piece for the features, its words for the lexicon, its views for the encoder."""

from collections.abc import Sequence
from dataclasses import dataclass

from scoop.core.sentiment import SentimentTarget, passages
from scoop.core.sentiment.features import Piece

MAX_TEXT = 1_500  # characters of a text without a target
MAX_EMBEDDED = 600  # characters
SIDE = 90  # characters before and after a target that are embedded


@dataclass(frozen=True, slots=True)
class TargetView:
    """A target with its clause; `embedded` are the texts for the encoder, empty where there are no words."""

    piece: Piece
    clause: Piece
    embedded: tuple[str, ...]


def around_target(target: SentimentTarget) -> TargetView:
    """What stands before and after the target, in its passage and in its clause."""
    start, end = _span(target)
    first, last = passages.passage_of(target.text, start, end, target.language)
    text, start, end = target.text[first:last], start - first, end - first
    begin, stop = passages.clause_of(text, start, end)
    return TargetView(
        piece=Piece(text[:start], text[end:], has_target=True),
        clause=Piece(text[begin:start], text[end:stop], has_target=True),
        embedded=(
            text[:MAX_EMBEDDED],
            text[begin:stop],
            text[max(0, start - SIDE) : start].strip(),
            text[end : end + SIDE].strip(),
        ),
    )


def whole(target: SentimentTarget) -> TargetView:
    """The text, or the sentences about the target where the model knows no targets."""
    text = target.text
    if target.start is not None and target.end is not None:
        first, last = passages.passage_of(text, target.start, target.end, target.language)
        begin, stop = passages.clause_of(text[first:last], target.start - first, target.end - first)
        text = text[first + begin : first + stop]
    piece = Piece(text[:MAX_TEXT])
    return TargetView(piece=piece, clause=Piece(""), embedded=(text[:MAX_EMBEDDED],))


def texts_to_embed(views: Sequence[TargetView]) -> list[str]:
    """All texts of the views, without duplicates."""
    return list(dict.fromkeys(text for view in views for text in view.embedded if text.strip()))


def _span(target: SentimentTarget) -> tuple[int, int]:
    assert target.start is not None and target.end is not None  # noqa: S101, PT018 - the head is for targets
    return target.start, target.end
