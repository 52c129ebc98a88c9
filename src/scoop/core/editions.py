"""Headlines of a series that has an edition a day, such as the report of a stock exchange or a weather forecast."""

from dataclasses import dataclass

from scoop.core import text

WEEKDAYS = (
    "monday montag lundi lunes lunedì maandag",
    "tuesday dienstag mardi martes martedì dinsdag",
    "wednesday mittwoch mercredi miércoles mercoledì woensdag",
    "thursday donnerstag jeudi jueves giovedì donderdag",
    "friday freitag vendredi viernes venerdì vrijdag",
    "saturday samstag sonnabend samedi sábado sabato zaterdag",
    "sunday sonntag dimanche domingo domenica zondag",
)
_DAY_BY_NAME = {name: day for day, names in enumerate(WEEKDAYS) for name in text.words(text.normalized(names))}
MIN_SHARED = 0.6  # of the other words: above 0.55 no two titles of one story in eight labelled sets name different days


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedTitle:
    """A title that names days of the week; `words` are its others, without numbers."""

    days: frozenset[int]
    words: frozenset[str]


def dated_title(title: str) -> DatedTitle | None:
    """A title with the days that it names; None if it names none."""
    words = frozenset(text.words(text.normalized(title)))
    days = frozenset(_DAY_BY_NAME[word] for word in words & _DAY_BY_NAME.keys())
    if not days:
        return None
    return DatedTitle(days=days, words=frozenset(word for word in words - _DAY_BY_NAME.keys() if not word.isdecimal()))


def are_two_editions(one: DatedTitle | None, other: DatedTitle | None) -> bool:
    """Whether two titles name different days and say nearly the same otherwise."""
    if one is None or other is None or not one.days.isdisjoint(other.days):
        return False
    either = one.words | other.words
    return bool(either) and len(one.words & other.words) >= MIN_SHARED * len(either)
