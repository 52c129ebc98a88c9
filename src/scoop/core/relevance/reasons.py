"""The reasoning of an evaluation: its topics, the words that matched, and the strongest parts."""

from collections.abc import Mapping, Sequence

from scoop.core.relevance.rubric import KNOWN_WORDS, Quality

NAMES_SHOWN = 3
MANY_NUMBERS, MANY_NAMES, LONG = 5, 5, 600  # from which on they are mentioned


def reasoning(
    matching: Sequence[str],
    scores: Mapping[str, int],
    named: Mapping[str, Sequence[str]],
    measured: Quality,
    *,
    is_ai_written: bool,
) -> str:
    about = _about(matching, named) if matching else _about_nothing(scores)
    flag = " It may be written by a machine: this is an estimate and changes no score." if is_ai_written else ""
    return f"{about} {_written(measured)}{flag}"


def _about(matching: Sequence[str], named: Mapping[str, Sequence[str]]) -> str:
    topics = _listed(matching[:NAMES_SHOWN])
    words = list(dict.fromkeys(word for topic in matching for word in named.get(topic, ())))
    if not words:
        return f"It matches {topics} by its meaning: none of the topic's words is in the text."
    quoted = [f'"{word}"' for word in words[:NAMES_SHOWN]]
    return f"It matches {topics}: the text has {_listed(quoted)}."


def _about_nothing(scores: Mapping[str, int]) -> str:
    nearest = max(scores, key=lambda topic: (scores[topic], topic))
    return f"It matches no topic; the nearest is {nearest} with {scores[nearest]} of 100."


def _written(measured: Quality) -> str:
    strong = [
        f"{measured.numbers} numbers" if measured.numbers >= MANY_NUMBERS else "",
        f"{measured.names} names" if measured.names >= MANY_NAMES else "",
        "code" if measured.code else "",
        f"{measured.words} words" if measured.words >= LONG else "",
    ]
    shown = [each for each in strong if each]
    if shown:
        return f"It has {_listed(shown)}."
    if measured.words < KNOWN_WORDS:
        return f"With {measured.words} words it is too short to judge its facts: it counts as an ordinary article."
    return f"It has few facts in {measured.words} words."


def _listed(names: Sequence[str]) -> str:
    return " and ".join([*filter(None, [", ".join(names[:-1])]), names[-1]])
