"""The features of articles and topics that the model of relevance reads."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoop.core.relevance import ScoredText
from scoop.core.relevance.directions import LearnedSubjects
from scoop.core.relevance.names import Occurrences
from scoop.core.relevance.related import RelatedWords
from scoop.core.relevance.similarity import Similarity, Table
from scoop.core.relevance.word_matches import WordMatches

FEATURES = (
    "name", "whole", "best", "mean", "best_cosine", "unusual", "margin", "share", "rank", "in_title", "in_lead",
    "count", "distinct", "named_near", "named_itself", "related", "length",
    "words_in_title", "words_in_lead", "related_in_title", "related_in_lead", "related_own",
    "related_known", "related_near", "learned", "learned_known",
)  # fmt: skip
LEAST = -3.0  # the similarity of a name that does not occur
LEAD_TRUST = 0.7  # of a name in the lead, against one in the title
MAX_LENGTH = 400  # characters: a longer text says no more about what an absent name means


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """What articles say of topics: their names, words of these, and words that are related."""

    found: Occurrences
    matches: WordMatches
    related: RelatedWords


def features(
    articles: Sequence[ScoredText],
    wording: Wording,
    near: Similarity,
    learned: LearnedSubjects,
    starts: NDArray[np.int64],
) -> Table:
    """The features by article, topic and feature; `starts` has the place of each topic's own name among the names."""
    found, matches, related = wording.found, wording.matches, wording.related
    in_title, in_lead = (np.maximum.reduceat(table, starts, axis=1) for table in (found.title, found.lead))
    is_named = (found.title > 0) | (found.count > 0)
    named_near = np.maximum.reduceat(np.where(is_named, near.by_name, LEAST), starts, axis=1)
    named_itself = np.maximum(found.title, LEAD_TRUST * found.lead)[:, starts]
    columns = {
        "name": near.name,
        "whole": near.whole,
        "best": near.best,
        "mean": near.mean,
        "best_cosine": near.best_cosine,
        "unusual": near.unusual,
        "margin": near.margin,
        "share": near.share,
        "rank": near.rank,
        "in_title": in_title,
        "in_lead": in_lead,
        "count": np.log1p(np.add.reduceat(found.count, starts, axis=1)),
        "distinct": np.add.reduceat(is_named.astype(np.float32), starts, axis=1),
        "named_near": named_near,
        "named_itself": named_itself,
        "related": _related(np.maximum(in_title, LEAD_TRUST * in_lead), near.related),
        "length": np.broadcast_to(_lengths(articles)[:, None], in_title.shape),
        "words_in_title": matches.in_title,
        "words_in_lead": matches.in_lead,
        "related_in_title": related.in_title,
        "related_in_lead": related.in_lead,
        "related_own": related.own,
        "related_known": related.is_known,
        "related_near": near.by_words,
        "learned": learned.score,
        "learned_known": learned.is_known,
    }
    return np.stack([columns[name] for name in FEATURES], axis=2).astype(np.float32)


def _related(named: Table, related: Table) -> Table:
    """How surely the nearest other topic is named."""
    others = related - np.diag(np.diag(related))
    return np.stack([(named * row).max(axis=1, initial=0) for row in others], axis=1)


def _lengths(articles: Sequence[ScoredText]) -> NDArray[np.float32]:
    lengths = [min(MAX_LENGTH, len(article.title) + len(article.body_text)) for article in articles]
    return np.log1p(np.array(lengths, dtype=np.float32))
