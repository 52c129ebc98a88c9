"""Finds what is new in a story that was published before: changed figures, new facts, many more publishers."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from scoop.core import text

LEAD_CHARACTERS = 400  # an article's news is at its beginning
FACTS_CHARACTERS = 4_000  # of each document that are remembered
MANY_NEW_FACTS = 6  # new figures and names that make a development without a changed figure
MANY_NEW_VOICES = 3
SAME_HEADLINE = 0.5  # share of common words above which a headline is the old one rephrased
ALIKE_WITHIN = 10  # factor by which a figure of the same thing may grow or shrink
NEW_HEADLINE = "a new headline"
SHOWN = 3  # facts of each kind
MAX_KEPT = 400  # figures and names remembered per story

SPELLED = tuple(
    re.findall(
        r"\w+",
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen",
    )
)
NUMBER_OF_WORD = {word: str(number) for number, word in enumerate(SPELLED, start=2)}
_FIGURE = re.compile(
    rf"(?<![\w.,])(?:[$€£¥]?(?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)|(?P<word>(?ai:{'|'.join(SPELLED)})))\b(?!\.\d)"
)
_CJK_FIGURE = re.compile(r"(?<!\d)(?P<digits>\d+)(?P<unit>[\u3040-\u30ff\u4e00-\u9fff]{1,2})")
_SCALES = {"thousand", "million", "billion", "trillion", "tausend", "millionen", "milliarden"}
# Words that may be between a figure and what it counts.
FILLERS = frozenset(
    re.findall(
        r"\w+",
        "people persons person men women others other of the more a an in were was are is have has been had least than "
        "about at on most nearly almost around over some to by from menschen personen weitere der die das wurden sind "
        "mindestens etwa",
    )
)
# Units that are counted everywhere: a second figure of these does not update the first.
COMMON_UNITS = frozenset(
    re.findall(
        r"\w+",
        "january february march april may june july august september october november december am pm gmt utc januar "
        "februar märz mai juni juli oktober dezember uhr monday tuesday wednesday thursday friday saturday sunday "
        "percent prozent per times days day hours hour minutes minute years year months month weeks week tage stunden "
        "jahre",
    )
)
_BREAK = re.compile(r"[,.;:!?()\n–—]|\band\b|\bor\b|\bund\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2,}")
_ENDING = re.compile(r"(?:ing|ed|es|s)$")
_NAME = re.compile(r"\b[A-ZÄÖÜ][\w'’-]{1,60}(?:\s+[A-ZÄÖÜ][\w'’-]{1,60})+")  # bounded: no text makes it slow
_CUT_WORD = re.compile(r" \S{0,40}$")
_NEAR = 60  # characters within which a figure names what it counts


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedMemory:
    """What readers know of an event from earlier digests.

    Figures by what they count, names of several words, the headlines of each publisher, and the document versions that
    these are from.
    """

    figures: Mapping[str, frozenset[str]]
    names: frozenset[str]
    headlines: Mapping[str, frozenset[str]]
    languages: frozenset[str]
    versions: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentVersion:
    """A document as it is now; `version` changes when its source changes it, not when its page is read."""

    version: str
    publisher: str
    publisher_name: str
    language: str
    title: str
    body: str

    @property
    def lead(self) -> str:
        """The title and the beginning, up to the end of a word."""
        beginning = self.body[:LEAD_CHARACTERS]
        is_whole = len(self.body) <= LEAD_CHARACTERS
        return f"{self.title}.\n{beginning if is_whole else _CUT_WORD.sub('', beginning)}"


def remember(versions: Iterable[DocumentVersion]) -> PublishedMemory:
    """What readers know after these documents were published."""
    figures: dict[str, set[str]] = {}
    names: set[str] = set()
    headlines: dict[str, set[str]] = {}
    published = list(versions)
    for version in published:
        body = f"{version.title}.\n{version.body[:FACTS_CHARACTERS]}"
        for counted, number in _figures(body):
            figures.setdefault(_stem(counted), set()).add(number)
        names |= _names(body)
        headlines.setdefault(version.publisher, set()).add(version.title)
    return PublishedMemory(
        figures={unit: frozenset(figures[unit]) for unit in sorted(figures)[:MAX_KEPT]},
        names=frozenset(sorted(names)[:MAX_KEPT]),
        headlines=_frozen(headlines),
        languages=frozenset(version.language for version in published),
        versions=frozenset(version.version for version in published),
    )


def combine(memories: Sequence[PublishedMemory]) -> PublishedMemory:
    """What readers know after several digests."""
    return PublishedMemory(
        figures=_united([each.figures for each in memories]),
        names=frozenset().union(*(each.names for each in memories)),
        headlines=_united([each.headlines for each in memories]),
        languages=frozenset().union(*(each.languages for each in memories)),
        versions=frozenset().union(*(each.versions for each in memories)),
    )


def describe_development(memory: PublishedMemory, now: Iterable[DocumentVersion], *, title: str) -> str:
    """What is new besides the title, in a sentence; empty if a reader would learn nothing."""
    versions = list(now)
    fresh = [version for version in versions if version.version not in memory.versions]
    # The page of a version that readers know only by its teaser may have come since: its facts are not new either.
    memory = combine([memory, remember(version for version in versions if version.version in memory.versions)])
    comparable = [version for version in fresh if version.language in memory.languages]
    changed, added = _figures_against(memory, comparable)
    names = sorted({name for version in comparable for name in _names(version.lead)} - memory.names)
    headlines = [new for new in fresh if _is_news(new.title, memory.headlines.get(new.publisher, frozenset()))]
    voices = sorted({version.publisher_name for version in fresh if version.publisher not in memory.headlines})
    has_many_voices = len(voices) >= max(MANY_NEW_VOICES, len(memory.headlines))
    if not changed and not headlines and not has_many_voices and len(added) + len(names) < MANY_NEW_FACTS:
        return ""
    parts = [*changed[:SHOWN], *(f"{new.publisher_name}: {new.title}" for new in headlines[:1] if new.title != title)]
    if facts := [*added[:SHOWN], *(_titled(name) for name in names[:SHOWN])]:
        parts.append(f"new: {', '.join(facts)}")
    if voices:
        parts.append(f"now also covered by {', '.join(voices[:SHOWN])}{' and others' if len(voices) > SHOWN else ''}")
    return "; ".join(parts) or NEW_HEADLINE


def _figures_against(memory: PublishedMemory, fresh: Iterable[DocumentVersion]) -> tuple[list[str], list[str]]:
    """Figures of the leads that update a remembered one, and those that count something else."""
    numbers: dict[str, dict[str, None]] = {}
    for version in fresh:
        own: dict[str, dict[str, None]] = {}
        for counted, number in _figures(version.lead):
            own.setdefault(counted, {})[number] = None
        for counted, figures in own.items():
            if not memory.figures.get(_stem(counted), frozenset()) & figures.keys():  # else it repeats a known figure
                numbers.setdefault(counted, {}).update(figures)
    changed, added = [], []
    for counted, figures in numbers.items():
        before = memory.figures.get(_stem(counted))
        if before is None:
            added.append(f"{_spoken(figures)} {counted}")
        elif _are_alike(before, figures):
            changed.append(f"{_spoken(figures)} {counted} (was {_spoken(before)})")
    return changed, added


def _is_news(title: str, headlines: Collection[str]) -> bool:
    """Whether a publisher's headline is new, and not one of its old ones rephrased."""
    words = set(text.words(text.normalized(title)))
    old = [set(text.words(text.normalized(headline))) for headline in headlines]
    return bool(old) and all(len(words & each) < SAME_HEADLINE * len(words | each) for each in old)


def _figures(body: str) -> Iterator[tuple[str, str]]:
    """Figures with what they count: the word after, or before as in `injuring 41`."""
    for match in _CJK_FIGURE.finditer(body):
        yield match["unit"], match["digits"]
    for match in _FIGURE.finditer(body):
        after = _words(_BREAK.split(body[match.end() : match.end() + _NEAR])[0])
        before = _words(_BREAK.split(body[max(0, match.start() - _NEAR) : match.start()])[-1])
        number = match["digits"].replace(",", "") if match["digits"] else NUMBER_OF_WORD[match["word"].lower()]
        if after and after[0] in _SCALES:
            number, after = f"{number} {after[0]}", after[1:]
        doing = [word for word in before[:-5:-1] if word.endswith(("ing", "ed"))]
        counted = next((word for word in (*after[:3], *doing) if word not in FILLERS), None)
        if counted and counted not in COMMON_UNITS and not _is_year(number):
            yield counted, number


def _names(body: str) -> set[str]:
    return {" ".join(name.casefold().split()) for name in _NAME.findall(body)}


def _words(part: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(part)]


def _stem(word: str) -> str:
    return _ENDING.sub("", word) or word


def _is_year(number: str) -> bool:
    return len(number) == 4 and number[:2] in {"19", "20"}


def _are_alike(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether two figures may be of the same thing: of one scale and similar in size."""
    for one in some:
        for other in others:
            (size, _, scale), (other_size, _, other_scale) = one.partition(" "), other.partition(" ")
            if scale == other_scale and 1 / ALIKE_WITHIN <= float(size) / max(float(other_size), 0.01) <= ALIKE_WITHIN:
                return True
    return False


def _spoken(numbers: Iterable[str]) -> str:
    return " or ".join(sorted(numbers, key=lambda number: (len(number), number))[-2:])


def _titled(name: str) -> str:
    return " ".join(word[:1].upper() + word[1:] for word in name.split())


def _frozen(mutable: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    return {key: frozenset(values) for key, values in mutable.items()}


def _united(mappings: Iterable[Mapping[str, frozenset[str]]]) -> dict[str, frozenset[str]]:
    united: dict[str, frozenset[str]] = {}
    for mapping in mappings:
        for key, values in mapping.items():
            united[key] = united.get(key, frozenset()) | values
    return united
