"""Numbers of a claim: whether the sources have them, for the same thing and with the same unit."""

from scoop.core.support.signs import Signs
from scoop.core.support.tokens import NUMBER, SPELLED, UNIT
from scoop.core.support.views import View

FEATURES = (
    "numbers",
    "numbers_missing",
    "spelled_missing",
    "numbers_elsewhere",
    "numbers_alone",
    "numbers_half_alone",
    "units_differ",
    "values_swapped",
)


def check(view: View) -> Signs:
    digits = [at for at in view.indexes(NUMBER) if not is_day(view, at)]
    spelled = view.indexes(SPELLED)
    missing = [at for at in digits if view.tokens.texts[at] not in view.sources.vocabulary]
    strange = [at for at in spelled if view.tokens.texts[at] not in view.sources.vocabulary]
    both = digits + spelled
    elsewhere = [at for at in both if _is_elsewhere(view, at)]
    differing = [at for at in both if at not in missing and at not in strange and _has_other_unit(view, at)]
    values = (
        len(both),
        len(missing),
        len(strange),
        len(elsewhere),
        sum(not view.has_left[at] and not view.has_right[at] for at in both),
        sum(view.has_left[at] != view.has_right[at] for at in both),
        len(differing),
        _swapped(view),
    )
    return Signs(values, (*_absent(view, missing), *_other_unit(view, differing)))


def is_day(view: View, at: int) -> bool:
    """Whether a number is a day of the month: `dates` checks it."""
    return at > 0 and view.tokens.texts[at - 1].startswith("@m")


def _is_elsewhere(view: View, at: int) -> bool:
    token = view.tokens.texts[at]
    return token in view.sources.vocabulary and token not in view.vocabulary


def _has_other_unit(view: View, at: int) -> bool:
    """Whether no source has the number before its unit or noun, and the evidence lacks its left neighbour too."""
    texts = view.tokens.texts
    if at + 1 >= len(texts) or view.tokens.starts[at + 1] - view.tokens.ends[at] > 1:
        return False
    return (texts[at], texts[at + 1]) not in view.sources.bigrams


def _swapped(view: View) -> int:
    """Numbers of the claim where the evidence has another number between the same neighbours."""
    evidence, texts = view.evidence, view.tokens.texts
    places = {
        (one, other)
        for one, middle, other in zip(evidence, evidence[1:], evidence[2:], strict=False)
        if middle[0] == "#"
    }
    return sum(
        (texts[at - 1], texts[at + 1]) in places and not (view.has_left[at] and view.has_right[at])
        for at in view.indexes(NUMBER + SPELLED)
        if 0 < at < len(texts) - 1
    )


def _absent(view: View, missing: list[int]) -> list[str]:
    return [f"the number {view.written(at)} is not in the source" for at in missing]


def _other_unit(view: View, differing: list[int]) -> list[str]:
    return [
        f"the source does not give {view.written(at)} for {view.written(at + 1)}"
        for at in differing
        if not view.has_left[at] or view.tokens.kinds[at + 1] == UNIT
    ]
