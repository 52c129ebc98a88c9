"""Charts for a terminal."""

POSITIVE, NEUTRAL, NEGATIVE = "█", "▒", "░"


def stacked_bar(positive: int, neutral: int, negative: int, *, most: int, width: int) -> str:
    """A bar of three parts that differ without colour; `most` fills the width."""
    if not most:
        return ""
    scale = width / most
    ends = [round(total * scale) for total in (positive, positive + neutral, positive + neutral + negative)]
    return POSITIVE * ends[0] + NEUTRAL * (ends[1] - ends[0]) + NEGATIVE * (ends[2] - ends[1])
