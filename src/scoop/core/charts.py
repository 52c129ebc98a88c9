"""Charts as SVG: the line of a card, and stacked bars of a series with its average for export."""

from collections.abc import Sequence
from dataclasses import dataclass

SPARK_WIDTH, SPARK_HEIGHT = 140, 32
BAR_WIDTH, CHART_HEIGHT, MARGIN = 24, 240, 40
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
    end = MARGIN + BAR_WIDTH * max(1, len(bars))
    width = max(end + MARGIN, 480)
    most = max((sum(bar.counts) for bar in bars), default=0) or 1
    drawn = "".join(_bar(bar, number, most) for number, bar in enumerate(bars))
    scale = "".join(f'<text x="{end + 6}" y="{_height(mark) + 4}">{mark:+d}</text>' for mark in (1, 0, -1))
    legend = "".join(
        f'<rect x="{MARGIN + 90 * number}" y="{CHART_HEIGHT + 56}" width="10" height="10" fill="{fill}"/>'
        f'<text x="{MARGIN + 14 + 90 * number}" y="{CHART_HEIGHT + 65}">{name}</text>'
        for number, (name, fill) in enumerate(zip(NAMES, _FILLS, strict=True))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {CHART_HEIGHT + 80}" role="img" '
        f'font-family="sans-serif" font-size="11"><title>{_escaped(title)}</title><defs>{_PATTERNS}</defs>'
        f'<rect width="100%" height="100%" fill="#fff"/>'
        f'<text x="{MARGIN}" y="20" font-size="14">{_escaped(title)}</text>'
        f'<text x="4" y="44">{most:,}</text>{drawn}{_average(bars)}{scale}{legend}</svg>'
    )


def _average(bars: Sequence[Bar]) -> str:
    """The line of the average over the bars that have one, and what it is called."""
    points = [(_middle(number), _height(bar.average)) for number, bar in enumerate(bars) if bar.average is not None]
    line = " ".join(f"{x:g},{y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:g}" cy="{y:.1f}" r="3"/>' for x, y in points)
    left, y = MARGIN + 90 * len(NAMES), CHART_HEIGHT + 61
    return (
        f'<g fill="#fff" stroke="{_LINE}" stroke-width="2"><polyline fill="none" points="{line}"/>{dots}'
        f'<path d="M{left} {y}h10"/></g><text x="{left + 14}" y="{y + 4}">average, at the right</text>'
    )


def _middle(number: int) -> float:
    return MARGIN + (number + 0.5) * BAR_WIDTH


def _height(average: float) -> float:
    return TOP + (1 - average) / 2 * (CHART_HEIGHT - TOP)


def _bar(bar: Bar, number: int, most: int) -> str:
    left, scale, parts, low = MARGIN + number * BAR_WIDTH, (CHART_HEIGHT - TOP) / most, [], float(CHART_HEIGHT)
    for count, fill in zip(bar.counts, _FILLS, strict=True):
        height = count * scale
        low -= height
        parts.append(
            f'<rect x="{left + 3}" y="{low:.1f}" width="{BAR_WIDTH - 6}" height="{height:.1f}" fill="{fill}"/>'
        )
    x, y = _middle(number), CHART_HEIGHT + 12
    label = f'<text x="{x}" y="{y}" transform="rotate(45 {x} {y})">{_escaped(bar.label)}</text>'
    return f"<g>{''.join(parts)}{label}</g>"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
