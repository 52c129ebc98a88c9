"""Negations of a claim: whether the evidence has the same ones at the same places, and opposites."""

from scoop.core.support.lexicon import words_of
from scoop.core.support.signs import Signs
from scoop.core.support.tokens import NEGATION
from scoop.core.support.views import BREAK, View

FEATURES = (
    "negations",
    "negations_missing",
    "negations_alone",
    "negations_half_alone",
    "negations_left_out",
    "negations_replaced",
    "negations_fewer",
    "opposites",
)


def check(view: View) -> Signs:
    words = words_of(view.claim.language)
    negations = view.indexes(NEGATION)
    missing = [at for at in negations if view.tokens.texts[at] not in view.vocabulary]
    alone = [at for at in negations if not view.has_left[at] and not view.has_right[at]]
    left_out, replaced = _dropped(view, words.negations)
    opposites = _opposites(view)
    in_evidence = sum(token in words.negations for token in view.evidence)
    values = (
        len(negations),
        len(missing),
        len(alone),
        sum(view.has_left[at] != view.has_right[at] for at in negations),
        len(left_out),
        len(replaced),
        max(0, in_evidence - len(negations)),
        len(opposites),
    )
    findings = [f"the source does not say {view.written(at)!r} here" for at in missing or alone]
    findings += [f"the source has a negation before {view.written(at)!r}" for at in left_out or replaced]
    findings += [f"the source says {opposite!r}, not {view.written(at)!r}" for at, opposite in opposites]
    return Signs(values, tuple(findings))


def _dropped(view: View, negations: frozenset[str]) -> tuple[list[int], list[int]]:
    """Places of the claim where the evidence has a negation between the same neighbours: left out, or replaced."""
    evidence, texts = view.evidence, [BREAK, *view.tokens.texts, BREAK]
    around = {(evidence[at - 1], evidence[at + 1]) for at in range(1, len(evidence) - 1) if evidence[at] in negations}
    if not around:
        return [], []
    left_out = [
        at for at, has_left in enumerate(view.has_left) if not has_left and (texts[at], texts[at + 1]) in around
    ]
    replaced = [
        at
        for at, token in enumerate(view.tokens.texts)
        if (texts[at], texts[at + 2]) in around
        and token not in negations
        and not (view.has_left[at] and view.has_right[at])
    ]
    return left_out, replaced


def _opposites(view: View) -> list[tuple[int, str]]:
    """Words of the claim that the evidence lacks, while it has their opposite."""
    opposites = words_of(view.claim.language).opposites
    if not opposites:
        return []
    if view.claim.language[:2] in {"ja", "zh"}:
        return _opposites_of_pairs(view)
    found = []
    for at, token in enumerate(view.tokens.texts):
        if token in opposites and token not in view.vocabulary:
            found += [(at, other) for other in sorted(opposites[token]) if other in view.vocabulary][:1]
    return found


def _opposites_of_pairs(view: View) -> list[tuple[int, str]]:
    """Opposites in unspaced scripts: words of two characters are pairs of tokens."""
    opposites, texts, found = words_of(view.claim.language).opposites, view.tokens.texts, []
    for at in range(len(texts) - 1):
        word = texts[at] + texts[at + 1]
        if word in opposites and (texts[at], texts[at + 1]) not in view.bigrams:
            others = [
                other for other in sorted(opposites[word]) if len(other) == 2 and (other[0], other[1]) in view.bigrams
            ]
            found += [(at, other) for other in others[:1]]
    return found
