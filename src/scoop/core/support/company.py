"""The company of a claim's terms: whether one passage has them together, or each is from another place."""

from itertools import pairwise

from scoop.core.support.passages import Term
from scoop.core.support.signs import Signs
from scoop.core.support.tokens import NAME, NUMBER, SIGN
from scoop.core.support.views import View

FEATURES = (
    "terms_missing",
    "least_company",
    "mean_company",
    "strangers",
    "least_name_company",
    "least_number_company",
    "islands_here",
    "islands_elsewhere",
)
MAX_ISLAND = 8  # tokens
STRANGER = 0.35  # of the coverage of the best passage


def check(view: View) -> Signs:
    """For each term: the coverage of the best passage that has it, as a share of that of the best passage of all."""
    terms, shares = view.terms, [view.terms & own for own in view.passage_terms]
    best = max(map(len, shares), default=0)
    if not best:
        return Signs((1.0, 0.0, 0.0, float(len(terms)), 0.0, 0.0, 0.0, 0.0))
    company: dict[Term, float] = {}
    for share in shares:
        for term in share:
            company[term] = max(company.get(term, 0.0), len(share) / best)
    found = list(company.values())
    values = (
        1 - len(company) / len(terms),
        min(found),
        sum(found) / len(found),
        float(sum(value < STRANGER for value in found)),
        _least(view, company, NAME),
        _least(view, company, NUMBER),
        *_islands(view),
    )
    return Signs(values)


def _least(view: View, company: dict[Term, float], kind: str) -> float:
    texts = [view.tokens.texts[at] for at in view.indexes(kind)]
    return min((company.get(text, 0.0) for text in texts if text in view.terms), default=1.0)


def _islands(view: View) -> tuple[float, float]:
    """Runs that a source has, between neighbours that the evidence lacks: in the best passage, or only elsewhere.

    A name of the text that was put in the place of another is an island.
    """
    best = view.sources.sentences[view.passages[0]]
    own = f" {' '.join(best.tokens.texts[best.first : best.last])} "
    here = elsewhere = 0
    for first, last in _bounded(view):
        written = " ".join(view.tokens.texts[first:last])
        if f" {written} " in own:
            here += 1
        elif f" {written} " in view.sources.joined:
            elsewhere += 1
    return float(here), float(elsewhere)


def _bounded(view: View) -> list[tuple[int, int]]:
    """The short runs of the claim between two breaks: neighbours that the evidence does not have."""
    breaks = [at for at, has_left in enumerate(view.has_left) if not has_left]
    if view.has_right and not view.has_right[-1]:
        breaks.append(len(view.has_right))
    runs = pairwise(breaks)
    return [(first, last) for first, last in runs if last - first <= MAX_ISLAND and _is_telling(view, first, last)]


def _is_telling(view: View, first: int, last: int) -> bool:
    """Whether a run may be a name: a capital letter, katakana, or two characters of an unspaced script."""
    kinds = view.tokens.kinds[first:last]
    return NAME in kinds or kinds.count(SIGN) > 1
