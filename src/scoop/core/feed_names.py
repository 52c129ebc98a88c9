"""The name of a publication from the title of its feed.

1. Markup, entities and repeated white space are removed.
2. The title is split where a dash, bar, colon or arrow separates words: "BBC News - Home" has two parts.
3. Each part loses what only says that it is a feed: "RSS", "latest articles", "Search Records Found 1000".
4. A part of nothing but generic words ("Breaking News", "Top Stories", "Startseite", "最新ニュース") is not a name.
5. Of the others, the part that the host spells is the name ("World news - The Guardian" of theguardian.com), else the
   first. A platform is the name only where nothing else is left ("Android Developers - Medium").
6. A title without a name gives the publisher of the host, which is its domain in the last resort.
"""

import html
import re
import tomllib
import unicodedata
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from scoop.core import publishers, text

NAME_CHARACTERS = 80
TITLE_CHARACTERS = 500  # of a title that are looked at; the longest of 330 real ones has 134
MIN_SPELLED = 3  # letters; fewer are in a host by chance

_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_ADDRESS = re.compile(r"(?:https?://)?(?:www\.)?([\w.-]+\.[a-z]{2,})/?", re.IGNORECASE)
_BREAK = re.compile(r"\s+[-–—|/·•»>:\\]+\s+|\s*(?:[–—|｜：»•]|::)\s*|[-:]\s+")
_LEADING = re.compile(
    r"""(?:rss(?:\sfeeds?)?(?:\s(?:di|do|de|del|of|for|from|site|flux))*
    |(?:the\s)?(?:latest|newest|recent|top|all|breaking)\s(?:[\w&]+\s){0,3}?(?:from|by|on|in|at)
    |(?:posts|articles|stories)\s(?:from|by|on)|comments\s(?:on|for)
    |lo\súltimo\s(?:de|en)|(?:последние\s)?новости\sна\sсайте|новини\sна|flux\srss(?:\sde)?)\s+(?=\S)""",
    re.IGNORECASE | re.VERBOSE,
)
_TRAILING = re.compile(
    r"""(?:\s+|(?<=[^\x00-\x7f]))(?:
    [(\[]?(?:rss|atom|xml)(?:\s?\d(?:\.\d+)?)?(?:\s(?:news\s?)?(?:feeds?|channel|headlines))?[)\]]?
    |feeds?|search\srecords\sfound\s\d+|section\sfeed\sfor\s.*
    |(?:latest|newest|recent|top|breaking|all)\s(?:\w+\s)??(?:news|articles?|posts?|stor(?:y|ies)|headlines|updates)
    |(?:daily\s)?headlines|(?:neue|neueste|aktuelle)\s(?:meldungen|nachrichten|artikel|beiträge)
    |dernières\s(?:actualités|nouvelles)|[uú]ltimas\snot[ií]cias|ultime\snotizie|последние\sновости
    |(?:最新|新着)(?:ニュース|記事|情報|新闻|新聞|消息|文章)(?:一覧)?|ニュース一覧|(?:최신|전체)\s?(?:기사|뉴스))$""",
    re.IGNORECASE | re.VERBOSE,
)
_EDGES = " ,;:-–—|/·•»>"


class _Words(NamedTuple):
    generic: frozenset[str]
    generic_unspaced: re.Pattern[str]
    platforms: frozenset[str]


def feed_name(title: str, host: str) -> str:
    """The name of the publication whose feed has this title; `host` is that of its pages, else that of the feed."""
    parts = _parts(title)
    named = [part for part in parts if not _is_generic(part)]
    own = [part for part in named if _letters(part) not in _words().platforms]
    label = _own_label(host)
    spelled = [part for part in parts if _is_spelled(part, label)]
    spelled.sort(key=lambda part: _letters(part) != label)
    chosen = next(iter([*spelled, *own, *named]), "")
    return text.truncated(chosen, NAME_CHARACTERS) or publishers.host_name(host)


def _parts(title: str) -> list[str]:
    """The parts of a title without the words of feeds; those that have no letter are left out."""
    parts = [_trimmed(part) for part in _BREAK.split(_plain(title))]
    return [part for part in parts if _letters(part)]


def _plain(title: str) -> str:
    """A title on one line; one that was escaped twice is unescaped twice."""
    plain = title[:TITLE_CHARACTERS]
    for _ in range(2):
        plain = _TAG.sub(" ", html.unescape(plain))
    plain = text.one_line(plain)
    address = _ADDRESS.fullmatch(plain)
    return address[1] if address else plain


def _trimmed(part: str) -> str:
    before = ""
    while part != before:
        before, part = part, _LEADING.sub("", _TRAILING.sub("", part.strip()), count=1).strip()
    return part.strip(_EDGES)


def _is_generic(part: str) -> bool:
    words = re.findall(r"[^\W_]+(?:'[^\W_]+)?", part.casefold().replace("’", "'"))
    return all(word in _words().generic or _words().generic_unspaced.fullmatch(word) for word in words)


def _own_label(host: str) -> str:
    """The letters of the name that a host has to itself, as guardian of www.theguardian.com; empty on a platform."""
    label = _letters(publishers.registrable_domain(host).partition(".")[0])
    return "" if label in _words().platforms else label


def _is_spelled(part: str, label: str) -> bool:
    """Whether a part is what the host says: its letters, their beginning, its initials; a generic part all letters."""
    letters = _letters(part)
    if min(len(letters), len(label)) < MIN_SPELLED or _is_generic(part):
        return letters == label
    return letters.startswith(label) or label.startswith(letters) or _initials(part) == label


def _initials(part: str) -> str:
    return _letters("".join(word[0] for word in part.split()))


def _letters(part: str) -> str:
    """The letters and digits of a text without case, accents and a leading article."""
    plain = unicodedata.normalize("NFKD", part).casefold()
    return "".join(sign for sign in plain if sign.isalnum()).removeprefix("the")


@cache
def _words() -> _Words:
    register = tomllib.loads(files(__package__).joinpath("feed_name_words.toml").read_text("utf-8"))
    unspaced = [word for words in register["unspaced"].values() for word in words.split()]
    return _Words(
        generic=frozenset(word for words in register["words"].values() for word in words.split()),
        generic_unspaced=re.compile(f"(?:{'|'.join(sorted(unspaced, key=len, reverse=True))})+"),
        platforms=frozenset(register["platforms"]),
    )
