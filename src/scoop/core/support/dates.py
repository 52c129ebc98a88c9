"""Weekdays, months and days of a claim: whether the sources have them, beside the same words."""

from scoop.core.support.numbers import is_day
from scoop.core.support.signs import Signs
from scoop.core.support.tokens import DATE, NUMBER
from scoop.core.support.views import View

FEATURES = (
    "dates",
    "dates_missing",
    "dates_elsewhere",
    "dates_alone",
    "dates_half_alone",
    "days_missing",
    "days_differ",
)


def check(view: View) -> Signs:
    dates = view.indexes(DATE)
    days = [at for at in view.indexes(NUMBER) if is_day(view, at)]
    texts = view.tokens.texts
    strange = [at for at in days if texts[at] not in view.sources.vocabulary]
    differing = [at for at in days if (texts[at - 1], texts[at]) not in view.sources.bigrams]
    missing = [at for at in dates if texts[at] not in view.sources.vocabulary]
    values = (
        len(dates),
        len(missing),
        sum(texts[at] not in view.vocabulary for at in dates) - len(missing),
        sum(not view.has_left[at] and not view.has_right[at] for at in dates),
        sum(view.has_left[at] != view.has_right[at] for at in dates),
        len(strange),
        len(differing),
    )
    found = [view.written(at) for at in missing] + [_date(view, at) for at in differing if at - 1 not in missing]
    return Signs(values, tuple(f"the date {date} is not in the source" for date in found))


def _date(view: View, at: int) -> str:
    """The month and day as the claim writes them, in either order."""
    starts, ends = view.tokens.starts[at - 1 : at + 1], view.tokens.ends[at - 1 : at + 1]
    return view.claim.text[min(starts) : max(ends)]
