"""Charts as SVG: the line of a card, and stacked bars of a series with its average for export."""

from collections.abc import Sequence
from dataclasses import dataclass

SPARK_WIDTH, SPARK_HEIGHT = 140, 32
BAR_WIDTH, CHART_HEIGHT, MARGIN = 24, 240, 40
WIDTH, LEAST_BAR_WIDTH = 1_200, 2  # of many bars together, and of one: the hours of 90 days are 2,161
MAX_LABELS = 31  # of bars: more would be a grey band
NAMES = ("positive", "neutral", "negative")
# Negative parts are hatched and neutral ones dotted, so that they differ in black and white, too.
_PATTERNS = (
    '<pattern id="neutral" width="4" height="4" patternUnits="userSpaceOnUse">'
    '<rect width="4" height="4" fill="#8a8780"/><circle cx="2" cy="2" r="1" fill="#fff"/></pattern>'
    '<pattern id="negative" width="4" height="4" patternUnits="userSpaceOnUse">'
    '<rect width="4" height="4" fill="#b3261e"/><path d="M0 4 4 0" stroke="#fff"/></pattern>'
)
_FILLS = ("#1d7a46", "url(#neutral)", "url(#negative)")
_LINE = "#0b57a4"
TOP = 40  # of the bars; their foot is at CHART_HEIGHT
FOOT = 116  # for slanted labels, and the legend below them
HEIGHT = CHART_HEIGHT + FOOT


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A bar of a chart with the counts of its parts, from below, and their average, from -1 to 1, if there is one."""

    label: str
    counts: tuple[int, int, int]
    average: float | None


def spark_points(values: Sequence[float]) -> str:
    """The points of a polyline for a small chart without axes."""
    most, step = max(values, default=0) or 1, SPARK_WIDTH / max(1, len(values) - 1)
    return " ".join(
        f"{position * step:.1f},{SPARK_HEIGHT - 2 - value / most * (SPARK_HEIGHT - 4):.1f}"
        for position, value in enumerate(values)
    )


def stacked_svg(title: str, bars: Sequence[Bar]) -> str:
    """Stacked bars, the line of their average and a legend, for a document or a slide; all texts are plain text."""
    across = min(BAR_WIDTH, max(LEAST_BAR_WIDTH, WIDTH / max(1, len(bars))))
    end = MARGIN + across * max(1, len(bars))
    width = round(max(end + MARGIN, 480))
    most = max((sum(bar.counts) for bar in bars), default=0) or 1
    step = -(-len(bars) // MAX_LABELS)
    drawn = "".join(_bar(bar, number, most, across) for number, bar in enumerate(bars))
    named = [number for number in range(len(bars)) if (len(bars) - 1 - number) % step == 0]
    names = "".join(_label(bars[number].label, _middle(number, across)) for number in named)
    scale = "".join(f'<text x="{end + 6:g}" y="{_height(mark) + 4}">{mark:+d}</text>' for mark in (1, 0, -1))
    legend = "".join(
        f'<rect x="{MARGIN + 90 * number}" y="{HEIGHT - 24}" width="10" height="10" fill="{fill}"/>'
        f'<text x="{MARGIN + 14 + 90 * number}" y="{HEIGHT - 15}">{name}</text>'
        for number, (name, fill) in enumerate(zip(NAMES, _FILLS, strict=True))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}" viewBox="0 0 {width} {HEIGHT}" '
        f'role="img" font-family="sans-serif" font-size="11"><title>{_escaped(title)}</title><defs>{_PATTERNS}</defs>'
        f'<rect width="100%" height="100%" fill="#fff"/>'
        f'<text x="{MARGIN}" y="20" font-size="14">{_escaped(title)}</text>'
        f'<text x="4" y="44">{most:,}</text>{drawn}{names}{_average(bars, across)}{scale}{legend}</svg>'
    )


def _average(bars: Sequence[Bar], across: float) -> str:
    """The line of the average over the bars that have one, and what it is called."""
    points = [
        (_middle(number, across), _height(bar.average)) for number, bar in enumerate(bars) if bar.average is not None
    ]
    line = " ".join(f"{x:g},{y:.1f}" for x, y in points)
    radius = min(3.0, across / 3)
    dots = "".join(f'<circle cx="{x:g}" cy="{y:.1f}" r="{radius:.3g}"/>' for x, y in points)
    left, y = MARGIN + 90 * len(NAMES), HEIGHT - 19
    return (
        f'<g fill="#fff" stroke="{_LINE}" stroke-width="{min(2.0, radius):.3g}"><polyline fill="none" '
        f'points="{line}"/>{dots}<path d="M{left} {y}h10"/></g><text x="{left + 14}" y="{y + 4}">average, at the '
        f"right</text>"
    )


def _middle(number: int, across: float) -> float:
    return MARGIN + (number + 0.5) * across


def _height(average: float) -> float:
    return TOP + (1 - average) / 2 * (CHART_HEIGHT - TOP)


def _bar(bar: Bar, number: int, most: int, across: float) -> str:
    left, scale, parts, low = MARGIN + number * across, (CHART_HEIGHT - TOP) / most, [], float(CHART_HEIGHT)
    for count, fill in zip(bar.counts, _FILLS, strict=True):
        height = count * scale
        low -= height
        parts.append(
            f'<rect x="{left + across / 8:.1f}" y="{low:.1f}" width="{across * 3 / 4:.1f}" height="{height:.1f}" '
            f'fill="{fill}"/>'
        )
    return f"<g>{''.join(parts)}</g>"


def _label(text: str, middle: float) -> str:
    y = CHART_HEIGHT + 12
    return f'<text x="{middle:g}" y="{y}" transform="rotate(45 {middle:g} {y})">{_escaped(text)}</text>'


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
