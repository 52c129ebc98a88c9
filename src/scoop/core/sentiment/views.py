"""How a target is seen: its piece for the features, its words for the lexicon, its views for the encoder."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scoop.core.sentiment import SentimentTarget, passages
from scoop.core.sentiment.features import Piece

MAX_TEXT = 1_500  # characters of a text without a target
MAX_EMBEDDED = 600  # characters
WINDOWS = (2, 5, 12)  # words on either side of a target that are embedded; a space after the target counts as one
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{1,2}|[^\s\u3040-\u30ff\u3400-\u9fff]+\s*|\s+")


@dataclass(frozen=True, slots=True)
class TargetView:
    """A target with its clause and its own words."""

    piece: Piece
    clause: Piece
    target: str = ""

    def texts(self) -> tuple[str, ...]:
        """The texts for the encoder, in a fixed number for a target and for a whole text; they may be empty."""
        if not self.piece.has_target:
            sentences = passages.rough_sentences(self.piece.left)
            return tuple(one[:MAX_EMBEDDED] for one in (self.piece.left, sentences[0], sentences[-1]))
        before, after = _words(self.piece.left[-MAX_EMBEDDED:]), _words(self.piece.right[:MAX_EMBEDDED])
        sides = [("".join(before[-count:]), "".join(after[:count])) for count in WINDOWS]
        return (
            f"{self.piece.left}{self.target}{self.piece.right}"[:MAX_EMBEDDED],
            f"{self.clause.left}{self.target}{self.clause.right}",
            *(f"{left}{self.target}{right}".strip()[:MAX_EMBEDDED] for left, right in sides),
            *(side.strip() for pair in sides for side in pair),
        )


def around_target(target: SentimentTarget) -> TargetView:
    """What stands before and after the target, in its passage and in its clause."""
    start, end = _span(target)
    first, last = passages.passage_of(target.text, start, end, target.language)
    text, start, end = target.text[first:last], start - first, end - first
    begin, stop = passages.clause_of(text, start, end)
    return TargetView(
        piece=Piece(text[:start], text[end:], has_target=True),
        clause=Piece(text[begin:start], text[end:stop], has_target=True),
        target=text[start:end],
    )


def whole(target: SentimentTarget) -> TargetView:
    """The text, or the sentences about the target where the model knows no targets."""
    text = target.text
    if target.start is not None and target.end is not None:
        first, last = passages.passage_of(text, target.start, target.end, target.language)
        begin, stop = passages.clause_of(text[first:last], target.start - first, target.end - first)
        text = text[first + begin : first + stop]
    return TargetView(piece=Piece(text[:MAX_TEXT]), clause=Piece(""))


def distinct(views: Iterable[Sequence[str]]) -> list[str]:
    """All texts of the views that have words, without duplicates."""
    return list(dict.fromkeys(text for view in views for text in view if text.strip()))


def _words(text: str) -> list[str]:
    """Words with the space after them; where words touch each other, pairs of signs."""
    return _WORD.findall(text)


def _span(target: SentimentTarget) -> tuple[int, int]:
    assert target.start is not None and target.end is not None  # noqa: S101, PT018 - the head is for targets
    return target.start, target.end
