"""Score texts towards targets, without a model server."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from scoop.core.sentiment import Embed, SentimentScore, SentimentTarget, features, heads, label_of, valences, views
from scoop.core.sentiment.heads import Head, Table
from scoop.core.sentiment.views import TargetView

VERSION = "5"
DIMENSIONS = 512  # of the local encoder
DIGITS = 4  # of a score: the last digits of a vector depend on the batch it was computed in
_WIDEST_NEUTRAL = 0.0499
_LEAST = 0.05  # of a positive score


def score(targets: Sequence[SentimentTarget], *, embed: Embed | None = None) -> list[SentimentScore]:
    """The score of each target; `embed` is the local sentence encoder, without which scores are less exact."""
    by_head: dict[str, list[int]] = defaultdict(list)
    for number, target in enumerate(targets):
        by_head[heads.name_of(target.kind, target.language, has_target=target.start is not None)].append(number)
    scores: dict[int, SentimentScore] = {}
    for name, numbers in by_head.items():
        chosen = [targets[number] for number in numbers]
        scores |= zip(numbers, _of_head(heads.head(name), chosen, embed), strict=True)
    return [scores[number] for number in range(len(targets))]


def _of_head(head: Head, targets: Sequence[SentimentTarget], embed: Embed | None) -> list[SentimentScore]:
    seen = [views.around_target(target) if head.has_targets else views.whole(target) for target in targets]
    parts = _word_parts(head, seen)
    if embed is not None:
        parts.append(head.encoder.margins(vectors_of(seen, embed)))
    combined = head.combined if embed is not None else head.combined_without_encoder
    method = f"linear+encoder/{head.name}" if embed is not None else f"linear/{head.name}"
    shares = heads.probabilities(combined, parts)
    blank = np.array([not any(map(str.strip, (one.piece.left, one.piece.right))) for one in seen], dtype=bool)
    shares[blank] = (0.0, 1.0, 0.0)
    return [_scored(*map(float, row), method=method) for row in shares]


def _word_parts(head: Head, seen: Sequence[TargetView]) -> list[Table]:
    """The margins by hashed features, and the valences."""
    pieces, clauses = [one.piece for one in seen], [one.clause for one in seen]
    own = valences.table(list(zip(pieces, clauses, strict=True)), is_english=head.is_english)
    return [head.margins(features.hashed(pieces, clauses)), own] if head.has_words else [own]


def vectors_of(seen: Sequence[TargetView], embed: Embed) -> Table:
    """The vectors of all views of a target side by side; a view without words is zero."""
    embedded = [one.texts() for one in seen]
    texts = views.distinct(embedded)
    by_text: Mapping[str, Table] = dict(zip(texts, embed(texts), strict=True)) if texts else {}
    nothing = np.zeros(DIMENSIONS, dtype=np.float32)
    return np.stack([np.concatenate([by_text.get(text, nothing) for text in one]) for one in embedded])


def _scored(negative: float, neutral: float, positive: float, *, method: str) -> SentimentScore:
    """The most probable label, with a score inside its range."""
    difference, confidence = positive - negative, max(negative, neutral, positive)
    if confidence == neutral:
        compound = min(max(difference, -_WIDEST_NEUTRAL), _WIDEST_NEUTRAL)
    elif positive > negative:
        compound = max(difference, _LEAST)
    else:
        compound = min(difference, -_LEAST)
    rounded = round(compound, DIGITS)
    return SentimentScore(
        compound=rounded,
        label=label_of(rounded),
        confidence=round(confidence, DIGITS),
        method=method,
        version=VERSION,
    )
