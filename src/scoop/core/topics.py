"""Assignment of stories to topics, by collection, source and keyword rules."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, count
from typing import Any

import re2

from scoop.core import display_names, text
from scoop.model import KeywordRule, RuleType, Topic

MAX_PATTERN = 256  # characters
MAX_PROGRAM = 2500  # steps of a compiled pattern: the worst reads 400,000 characters in about a second
MAX_MEMORY = 1 << 20  # bytes of a compiled pattern and its automaton
MAX_RULE_WEIGHT = 100
MAX_WEIGHT = 32_767  # the range of SMALLINT
EXAMPLES = 3

_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_MISSING = ("invalid perl operator", "invalid escape sequence", "invalid named capture group")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryText:
    """A story as rules see it; `text` holds the normalized titles and texts of its documents, one per line."""

    story_id: int
    collection: str
    sources: Sequence[str]
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A topic of a story, the score of its rules, and the rules that matched."""

    topic_id: int
    weight: int
    matched: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultTopic:
    """The topic of a collection that no other topic names."""

    topic_slug: str
    topic_name: str
    collection: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """The ruling of a topic on a story within its bounds: matching and excluding rules."""

    caught: tuple[str, ...] = ()
    kept_out: tuple[str, ...] = ()
    weight: int = 1
    is_wanted: bool = False  # apart from excluding rules

    @property
    def belongs(self) -> bool:
        return self.is_wanted and not self.kept_out


@dataclass(frozen=True, slots=True, kw_only=True)
class Catch:
    """The stories that one rule matched or excluded, with a few titles."""

    rule: str
    rule_type: RuleType
    stories: int
    titles: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The result of testing a topic: stories checked, stories taken, sample titles, and the effect of each rule."""

    looked_at: int
    stories: int
    titles: tuple[str, ...]
    rules: tuple[Catch, ...]


def default_topics(collections: Iterable[str], topics: Sequence[Topic]) -> list[DefaultTopic]:
    """A topic for each of these collections that no topic names; a curator chooses a few of its articles only."""
    named = {collection for topic in topics if not topic.is_curator for collection in topic.collections}
    slugs = {topic.topic_slug for topic in topics}
    defaults: list[DefaultTopic] = []
    for collection in sorted({*collections} - named):
        slug = _free_slug(collection, slugs)
        slugs.add(slug)
        defaults.append(
            DefaultTopic(topic_slug=slug, topic_name=display_names.collection_name(collection), collection=collection)
        )
    return defaults


def _free_slug(collection: str, taken: Collection[str]) -> str:
    base = re.sub(r"[^a-z0-9]+", "_", collection.lower()).strip("_") or "collection"
    return next(slug for slug in chain([base], (f"{base}_{number}" for number in count(2))) if slug not in taken)


class TopicIndex:
    """Topics by their bounds: a desk has a topic per collection, and a story needs the rules of a few of them."""

    def __init__(self, topics: Iterable[Topic]) -> None:
        self._unbounded: list[Topic] = []
        self._by_collection: defaultdict[str, list[Topic]] = defaultdict(list)
        self._by_source: defaultdict[str, list[Topic]] = defaultdict(list)
        for topic in topics:
            if not has_bounds(topic):
                self._unbounded.append(topic)
            for collection in topic.collections:
                self._by_collection[collection].append(topic)
            for source in _included_sources(topic):
                self._by_source[source].append(topic)

    def near(self, story: StoryText) -> list[Topic]:
        """The topics without bounds, and those whose bounds include the story; by id."""
        by_source = chain.from_iterable(self._by_source.get(source, ()) for source in story.sources)
        topics = chain(self._unbounded, self._by_collection.get(story.collection, ()), by_source)
        by_id = {topic.topic_id: topic for topic in topics}
        return [by_id[topic_id] for topic_id in sorted(by_id)]


def assign(story: StoryText, index: TopicIndex) -> list[Assignment]:
    """The topics that a story belongs to."""
    rulings = [(topic.topic_id, ruling(story, topic)) for topic in index.near(story)]
    return [
        Assignment(topic_id=topic_id, weight=found.weight, matched=found.caught)
        for topic_id, found in rulings
        if found.belongs
    ]


def ruling(story: StoryText, topic: Topic) -> Ruling:
    """Apply a topic's rules to a story: one excluding rule outweighs all matching ones."""
    near = _near(story, topic)
    if not near and has_bounds(topic):
        return Ruling()
    asked = [rule for rule in topic.keyword_rules if rule.enabled]
    found = [rule for rule in asked if matches(rule, story.text)]
    caught = [rule for rule in found if rule.rule_type == "include"]
    banned = [
        rule.source for rule in topic.source_rules if rule.rule_type == "exclude" and rule.source in story.sources
    ]
    return Ruling(
        caught=(*near, *(f"keyword:{rule.pattern}" for rule in caught)),
        kept_out=(
            *(f"source:{source}" for source in banned),
            *(f"keyword:{rule.pattern}" for rule in found if rule.rule_type == "exclude"),
        ),
        weight=min(max(sum(rule.weight for rule in caught), 1), MAX_WEIGHT),
        is_wanted=bool(caught) or all(rule.rule_type == "exclude" for rule in asked),
    )


def has_bounds(topic: Topic) -> bool:
    """Whether a topic is limited to some collections or sources; without bounds it takes from everywhere."""
    return bool(topic.collections) or bool(_included_sources(topic))


def needs_text(topics: Iterable[Topic]) -> bool:
    """Whether any of these topics needs the text of stories."""
    return any(rule.enabled for topic in topics for rule in topic.keyword_rules)


def trial(topic: Topic, rulings: Sequence[tuple[str, Ruling]]) -> Trial:
    """The trial of a topic over stories, each given by its title and ruling."""
    members = [(title, found) for title, found in rulings if found.belongs]
    wanted = [(title, found) for title, found in rulings if found.is_wanted]
    includes, excludes = _named(topic, "include"), _named(topic, "exclude")
    caught = [_catch(rule, "include", [title for title, found in members if rule in found.caught]) for rule in includes]
    kept = [_catch(rule, "exclude", [title for title, found in wanted if rule in found.kept_out]) for rule in excludes]
    titles = tuple(title for title, _ in members[:EXAMPLES])
    return Trial(looked_at=len(rulings), stories=len(members), titles=titles, rules=(*caught, *kept))


def matches(rule: KeywordRule, normalized: str) -> bool:
    """Whether a rule's words or pattern occur in a normalized text; an unusable pattern matches nothing."""
    if not rule.is_regex:
        words = text.normalized(rule.pattern)
        return words != "" and _holds_words(normalized, words)
    pattern = _usable(rule.pattern)
    return pattern is not None and pattern.search(normalized) is not None


def check(rule: KeywordRule) -> None:
    """Raise ValueError, with the fix, for an unusable rule."""
    if not text.normalized(rule.pattern) or any(character < " " for character in rule.pattern):
        raise ValueError(f"the keyword {rule.pattern!r} must be words on one line, and not blank")
    if len(rule.pattern) > MAX_PATTERN:
        raise ValueError(
            f"the keyword {rule.pattern[:40]!r}... has {len(rule.pattern):,} characters; {MAX_PATTERN} is the most: "
            "make several rules of it"
        )
    if not 1 <= rule.weight <= MAX_RULE_WEIGHT:
        raise ValueError(f"the weight of {rule.pattern!r} is {rule.weight}; it must be from 1 to {MAX_RULE_WEIGHT}")
    if rule.is_regex and _compiled(rule.pattern).search("") is not None:
        raise ValueError(f"the pattern {rule.pattern!r} fits even an empty text, and so every story; ask for more")


def problem(rule: KeywordRule) -> str | None:
    """Why a rule never applies, if it does not."""
    try:
        check(rule)
    except ValueError as error:
        return str(error)
    return None


def _near(story: StoryText, topic: Topic) -> list[str]:
    """The bounds of the topic that include the story."""
    found = [f"collection:{story.collection}"] if story.collection in topic.collections else []
    included = _included_sources(topic)
    return found + [f"source:{source}" for source in story.sources if source in included]


def _included_sources(topic: Topic) -> set[str]:
    return {rule.source for rule in topic.source_rules if rule.rule_type == "include"}


def _named(topic: Topic, rule_type: RuleType) -> list[str]:
    """The rules of one type, by their names in rulings."""
    collections = topic.collections if rule_type == "include" else ()
    return [
        *(f"collection:{collection}" for collection in collections),
        *(f"source:{rule.source}" for rule in topic.source_rules if rule.rule_type == rule_type),
        *(f"keyword:{rule.pattern}" for rule in topic.keyword_rules if rule.enabled and rule.rule_type == rule_type),
    ]


def _catch(rule: str, rule_type: RuleType, titles: Sequence[str]) -> Catch:
    return Catch(rule=rule, rule_type=rule_type, stories=len(titles), titles=tuple(titles[:EXAMPLES]))


def _holds_words(normalized: str, words: str) -> bool:
    """Whether words occur in a text as whole words."""
    at = normalized.find(words)
    while at >= 0:
        end = at + len(words)
        if not _go_on(words[0], normalized[max(at - 1, 0) : at]) and not _go_on(words[-1], normalized[end : end + 1]):
            return True
        at = normalized.find(words, at + 1)
    return False


def _go_on(edge: str, beside: str) -> bool:
    """Whether the edge of a word and the character beside it belong to one longer word."""
    return beside != "" and _builds_words(edge) and _builds_words(beside)


@lru_cache(maxsize=4096)
def _builds_words(character: str) -> bool:
    """Whether this character can be part of a word of several characters that is delimited by spaces."""
    if unicodedata.category(character)[0] not in "LMN":
        return False
    return len(text.words(character * 3)) < 2  # in scripts without spaces, every two adjacent characters are a word


@lru_cache(maxsize=1024)
def _usable(pattern: str) -> Any:
    try:
        return _compiled(pattern)
    except ValueError:
        return None


def _compiled(pattern: str) -> Any:
    """The pattern in linear time; one by one, because an RE2 set neither aborts on a slow automaton nor reports it."""
    options = re2.Options()
    options.case_sensitive, options.never_capture, options.log_errors = False, True, False
    options.max_mem = MAX_MEMORY
    try:
        re2.compile(pattern, options)  # compiled alone first: the error quotes the pattern as written
        found = re2.compile(f"(?m){_folded(pattern)}", options)
    except re2.error as error:
        raise ValueError(_complaint(pattern, error.args[0])) from error
    if found.programsize > MAX_PROGRAM:
        raise ValueError(_complaint(pattern, b"pattern too large"))
    return found


def _folded(pattern: str) -> str:
    """The pattern with its non-ASCII letters normalized like the text."""
    composed = unicodedata.normalize("NFC", pattern)
    return _BEYOND_ASCII.sub(lambda found: re2.escape(text.normalized(found[0])), composed)


def _complaint(pattern: str, said: bytes) -> str:
    reason = said.decode(errors="replace")
    if reason.startswith("pattern too large"):
        fix = r"use smaller repeats, as .{0,50}, and few classes such as \pL, or make several rules of it"
    elif reason.startswith(_MISSING):
        fix = r"lookarounds, as (?=...), and backreferences, as \1, are not available: write out what shall match"
    else:
        fix = "look at its brackets and repeats, or give it as plain words"
    return f"the pattern {pattern!r} cannot be used ({reason}); {fix}"
