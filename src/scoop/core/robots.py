"""robots.txt by RFC 9309: the rules of a site for one crawler.

Written by hand because the available libraries compile patterns to backtracking expressions, which a hostile file can
keep running for minutes, and allow requests that the test cases of the standard forbid.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

MAX_BYTES = 512 << 10  # the standard asks for at least 500 KiB
MAX_RULES = 10_000
LONGEST_CRAWL_DELAY_SECONDS = 60.0

_LINE = re.compile(r"\s*([a-z][a-z-]*(?: agent)?)\s*(?::|\s)\s*([^#]*)", re.IGNORECASE)  # some files omit the colon
_TOKEN = re.compile(r"[A-Za-z_-]+")
_TO_ENCODE = re.compile(r"%([0-9A-Fa-f]{2})|[^\x21-\x7e]")
_DISALLOW = frozenset({"disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"})
_AGENT = frozenset({"user-agent", "useragent", "user agent"})


@dataclass(frozen=True, slots=True)
class Rule:
    pattern: str
    allows: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Robots:
    """The rules of a site for one crawler, the longest pattern first; of equally long ones, `allow` first."""

    rules: tuple[Rule, ...] = ()
    crawl_delay: float | None = None
    sitemaps: tuple[str, ...] = ()

    def allows(self, path: str) -> bool:
        """Whether the crawler may request this path (with its query, percent-encoded)."""
        if path == "/robots.txt":
            return True
        encoded = _encoded(path) or "/"
        return next((rule.allows for rule in self.rules if matches(rule.pattern, encoded)), True)


NOTHING = Robots(rules=(Rule("/", allows=False),))
EVERYTHING = Robots()


@dataclass(slots=True)
class _Group:
    """The lines that follow one or more names of crawlers."""

    agents: set[str] = field(default_factory=set)
    rules: list[Rule] = field(default_factory=list)
    crawl_delay: float | None = None


def parse(text: str, *, crawler: str) -> Robots:
    """The rules for a crawler: those of its own groups, else those for all crawlers."""
    groups, sitemaps = _groups(text)
    mine = [group for group in groups if crawler.lower() in group.agents]
    chosen = mine or [group for group in groups if "*" in group.agents]
    rules = [rule for group in chosen for rule in group.rules]
    delays = [group.crawl_delay for group in chosen if group.crawl_delay is not None]
    return Robots(
        rules=tuple(sorted(rules[:MAX_RULES], key=lambda rule: (-len(rule.pattern), not rule.allows))),
        crawl_delay=max(delays, default=None),
        sitemaps=tuple(dict.fromkeys(sitemaps)),
    )


def matches(pattern: str, path: str) -> bool:
    """Whether a pattern matches the beginning of a path; `*` is any text, a final `$` the end."""
    is_anchored = pattern.endswith("$")
    parts = pattern.removesuffix("$").split("*")
    if not path.startswith(parts[0]):
        return False
    at = len(parts[0])
    if len(parts) == 1:
        return not is_anchored or at == len(path)
    for part in parts[1:-1]:
        found = path.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    last = parts[-1]
    return path.endswith(last) and len(path) - len(last) >= at if is_anchored else path.find(last, at) >= 0


def _groups(text: str) -> tuple[list[_Group], list[str]]:
    groups: list[_Group] = []
    sitemaps: list[str] = []
    group = _Group()
    is_naming = False
    for key, value in _lines(text):
        if key in _AGENT:
            if not is_naming:
                group = _Group()
                groups.append(group)
            group.agents.add(_agent(value))
            is_naming = True
        elif key == "sitemap":
            sitemaps.append(value)
        elif key in _DISALLOW or key == "allow":
            is_naming = False
            if value:  # an empty pattern forbids nothing
                group.rules.append(Rule(_encoded(_rooted(value)), allows=key == "allow"))
        elif key == "crawl-delay":
            is_naming = False
            group.crawl_delay = _delay(value)
    return groups, sitemaps


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for line in re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff")):
        if match := _LINE.match(line):
            yield match[1].lower(), match[2].strip()


def _agent(value: str) -> str:
    if value == "*" or value.startswith("* "):
        return "*"
    token = _TOKEN.match(value)
    return token[0].lower() if token else ""


def _rooted(pattern: str) -> str:
    return pattern if pattern.startswith(("/", "*")) else f"/{pattern}"


def _delay(value: str) -> float | None:
    try:
        seconds = float(value)
    except ValueError:
        return None
    return min(seconds, LONGEST_CRAWL_DELAY_SECONDS) if seconds > 0 else None


def _encoded(path: str) -> str:
    """One spelling of a path: other characters than ASCII percent-encoded, with upper-case digits."""
    return _TO_ENCODE.sub(
        lambda match: (
            match[0].upper() if match[1] else "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace"))
        ),
        path,
    )
