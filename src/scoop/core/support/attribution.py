"""Speakers of a claim: whether the sources give the statement to the same person or paper."""

from scoop.core.support.signs import Signs
from scoop.core.support.tokens import NAME, SAID, SIGN
from scoop.core.support.views import View

FEATURES = ("sayings", "speakers_missing", "speakers_strange", "saying_missing")
SPEAKER = 8  # tokens around a word of saying in which its speaker is looked for
_BOUNDARY = "、。，,:：;；.!?！？「」『』“”„\"'‘’（）()\n"


def check(view: View) -> Signs:
    sayings = view.indexes(SAID)
    speakers = {at for saying in sayings for at in _speaker(view, saying)}
    missing = [at for at in sorted(speakers) if not _is_known(view, at)]
    strange = sum(not view.has_left[at] and not view.has_right[at] for at in speakers)
    values = (len(sayings), len(missing), strange, float(bool(sayings) and "@say" not in view.vocabulary))
    if not missing:
        return Signs(values)
    name = view.claim.text[view.tokens.starts[missing[0]] : view.tokens.ends[missing[-1]]]
    return Signs(values, (f"the source does not give this statement to {name}",) if len(name) < 40 else ())


def _speaker(view: View, saying: int) -> list[int]:
    """The names beside a word of saying, up to the next punctuation."""
    kinds, found = view.tokens.kinds, []
    for step in (-1, 1):
        at = saying + step
        while 0 <= at < len(kinds) and abs(at - saying) <= SPEAKER and not _is_cut(view, min(at, at - step)):
            if kinds[at] == NAME or (kinds[at] == SIGN and not _is_kana(view.tokens.texts[at])):
                found.append(at)
            at += step
    return found


def _is_kana(sign: str) -> bool:
    return "\u3041" <= sign <= "\u30ff"


def _is_cut(view: View, at: int) -> bool:
    """Whether punctuation follows this token."""
    between = view.claim.text[view.tokens.ends[at] : view.tokens.starts[at + 1]]
    return any(mark in _BOUNDARY for mark in between)


def _is_known(view: View, at: int) -> bool:
    """Whether a source has the word; for a character of an unspaced script, with one of its neighbours."""
    texts, bigrams = view.tokens.texts, view.sources.bigrams
    if view.tokens.kinds[at] != SIGN:
        return texts[at] in view.sources.vocabulary
    return (at > 0 and (texts[at - 1], texts[at]) in bigrams) or (
        at + 1 < len(texts) and (texts[at], texts[at + 1]) in bigrams
    )
