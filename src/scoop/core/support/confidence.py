"""The confidence of a summary, from 0 to 1: how sure its sentences are, and how much of the attempt they are."""

from collections.abc import Sequence
from math import sqrt

from scoop.core.support import Support


def confidence(supports: Sequence[Support], *, documents: int) -> float:
    """From the judgements of all sentences that a writer proposed, and the number of documents that it was given.

    The mean and the least score of the supported sentences count half each: one weak sentence spoils a summary. The
    roots of the share of sentences that passed and of the share of documents that they cite reduce it further.
    """
    passed = [support for support in supports if support.is_supported]
    if not passed or documents < 1:
        return 0.0
    scores = [support.score for support in passed]
    cited = {passage.document_id for support in passed for passage in support.passages}
    sureness = (sum(scores) / len(scores) + min(scores)) / 2
    return sureness * sqrt(len(passed) / len(supports)) * sqrt(min(1.0, len(cited) / documents))
