"""The text of an article, without the boilerplate around it.

trafilatura selects blocks. The kinds of boxes that hold most of the selected text belong to the article. Other blocks
in boxes of these kinds are added; selected blocks in other boxes are mostly dropped.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import trafilatura
from lxml.html import HtmlElement

from scoop.fetch.articles import blocks, boilerplate
from scoop.fetch.articles.blocks import Block, Container
from scoop.fetch.articles.metadata import Claims

# Figures without another origin are measured: docs/design/extraction.md.
MIN_READING_CHARACTERS = 300  # with less, trafilatura did not find the article
MIN_PROSE_CHARACTERS = 80  # of a paragraph; menus and captions are shorter
MIN_UNVOTED_CHARACTERS = 40  # of a block in the article's boxes that trafilatura did not select
MIN_MATCH_CHARACTERS = 15  # shorter text may occur in the selection by chance
MAX_SEARCHED_CHARACTERS = 200_000  # of the selection, searched for every block: four long articles
MIN_TITLE_CHARACTERS = 8
BOX_SHARE = 0.25  # of the selected text that a kind of box must hold
MAX_LINKED = 0.3  # share of link text in prose
MAX_LINKED_VOTED = 0.8  # with more, the block is a link to another page
MAX_PENALTY_CHARACTERS = 100  # one long other text must not outweigh a short article
MAX_AFTER_CLOSING = 120  # characters of other lines between closing lines
MAX_CLOSING_SHARE = 0.35  # an article about newsletters is not all closing lines
BODY_ADVANTAGE = 2  # the text in JSON-LD is taken if it is this many times as long as the visible one

_FOREIGN = re.compile(
    r"(?:^|[-_\s])(?:related|recommend\w*|shar(?:e|ing)|social|newsletter|subscri\w+|promo\w*|advert\w*|ads?|sponsor\w*"
    r"|comments?|disqus|captions?|credits?|byline|author|bio|breadcrumbs?|header|subtitle|standfirst|deck|dek|subhead\w*"
    r"|kicker|nav\w*|menu|footer|sidebar|widget|popular|trending|cookie|consent|tooltip|rollover|print|copyright|toolbar"
    r"|outbrain|taboola|signup|login|banner|modal|popup|tags?|teaser|gallery|slideshow|player|timestamp|dateline"
    r"|disclaimer|photo|image)(?:$|[-_\s])",
    re.IGNORECASE,
)
_CAMEL_STEP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_NO_LETTERS = re.compile(r"\W+")

BoxKind = tuple[str, str, str]
"""A box's tag, its class and its parent's class: boxes that share them are of one kind."""


@dataclass(slots=True, eq=False)
class _Candidate:
    block: Block
    letters: str
    length: int
    kind: BoxKind
    is_voted: bool

    @property
    def is_heading(self) -> bool:
        return self.block.place.tag in _HEADINGS

    @property
    def is_prose(self) -> bool:
        return self.length >= MIN_PROSE_CHARACTERS and self.block.linked < MAX_LINKED and not self.is_heading


@dataclass(frozen=True, slots=True)
class _ArticleBody:
    """The place of the article: inside `main`, mostly in boxes of these kinds."""

    main: Container
    kinds: frozenset[BoxKind]

    def path(self, place: Container) -> list[Container] | None:
        """The containers from this one up to `main`; None if it is not inside `main`."""
        path = []
        step: Container | None = place
        while step is not self.main:
            if step is None:
                return None
            path.append(step)
            step = step.parent
        return path

    def holds(self, one: _Candidate) -> bool:
        return self.path(one.block.place) is not None

    def is_home(self, one: _Candidate) -> bool:
        return one.kind in self.kinds

    def is_foreign(self, one: _Candidate) -> bool:
        """Whether the class or id of a container between the block and `main` names other content."""
        return any(_FOREIGN.search(_CAMEL_STEP.sub("-", place.names())) for place in self.path(one.block.place) or ())

    def is_quoted(self, one: _Candidate) -> bool:
        return any(place.tag == "blockquote" for place in self.path(one.block.place) or ())


def text(tree: HtmlElement, claims: Claims) -> str:
    """The article's paragraphs, separated by blank lines."""
    visible = "\n\n".join(block.text for block in choose_blocks(blocks.read(tree), _reading(tree), claims.title or ""))
    body = max(claims.bodies, key=len, default="")
    return body if len(body) > BODY_ADVANTAGE * len(visible) else visible


def choose_blocks(all_blocks: list[Block], reading: str, title: str) -> list[Block]:
    """The blocks of the article; `reading` is the text that trafilatura selects."""
    candidates = _candidates(all_blocks, reading)
    if not any(one.is_voted for one in candidates):
        return []
    body = _body(candidates)
    inside = [one for one in candidates if body.holds(one)]
    kept = [one for one in inside[_beginning(inside, body, _letters(title)) :] if _belongs(one, body)]
    return [one.block for one in kept[: _end(kept, body)]]


def _reading(tree: HtmlElement) -> str:
    return trafilatura.extract(tree, fast=True, include_comments=False) or ""


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text).lower()


def _candidates(all_blocks: Iterable[Block], reading: str) -> list[_Candidate]:
    is_voted = _vote(reading)
    candidates = []
    for block in all_blocks:
        letters = _letters(block.text)
        kind = _kind(block.box())
        candidates.append(_Candidate(block, letters, blocks.length(block.text), kind, is_voted(letters)))
    if blocks.length(reading) < MIN_READING_CHARACTERS and any(one.is_prose for one in candidates):
        for one in candidates:
            one.is_voted = one.is_prose
    return candidates


def _vote(reading: str) -> Callable[[str], bool]:
    lines = {_letters(line) for line in reading.split("\n")} - {""}
    whole = _letters(reading[:MAX_SEARCHED_CHARACTERS])
    return lambda letters: letters in lines or (len(letters) >= MIN_MATCH_CHARACTERS and letters in whole)


def _kind(box: Container) -> BoxKind:
    above = box.parent.element.get("class") if box.parent else None
    return box.tag, box.element.get("class") or "", above or ""


def _body(candidates: list[_Candidate]) -> _ArticleBody:
    kinds = _kinds(candidates)
    score: dict[Container, float] = defaultdict(float)
    for one in candidates:
        weight = _weight(one, kinds)
        place: Container | None = one.block.place
        while place is not None:
            score[place] += weight
            place = place.parent
    return _ArticleBody(max(score, key=lambda place: (score[place], place.depth)), kinds)


def _kinds(candidates: list[_Candidate]) -> frozenset[BoxKind]:
    mass: dict[BoxKind, float] = defaultdict(float)
    for one in candidates:
        if one.is_voted and not one.is_heading:
            mass[one.kind] += max(0.0, one.length * (1 - 2 * one.block.linked))
    enough = BOX_SHARE * sum(mass.values())
    return frozenset(kind for kind, weight in mass.items() if weight >= enough)


def _weight(one: _Candidate, kinds: frozenset[BoxKind]) -> float:
    """The score that a container gains or loses by this block."""
    if one.is_voted:
        return one.length * (1 - 2 * one.block.linked)
    if one.kind in kinds and one.length >= MIN_UNVOTED_CHARACTERS and one.block.linked < MAX_LINKED:
        return one.length
    return -min(one.length, MAX_PENALTY_CHARACTERS)


def _beginning(inside: list[_Candidate], body: _ArticleBody, title: str) -> int:
    """The index after the headline and its byline, date and standfirst."""
    start = 0
    for index, one in enumerate(inside):
        if _is_headline(one, title):
            start = index + 1
        elif one.is_voted and one.is_prose and body.is_home(one):
            break
    return next((index for index in range(start, len(inside)) if _opens(inside[index], body)), len(inside))


def _is_headline(one: _Candidate, title: str) -> bool:
    if one.block.place.tag == "h1":
        return True
    if len(title) <= MIN_TITLE_CHARACTERS:
        return False
    return one.letters == title or (
        one.is_heading and len(one.letters) >= MIN_MATCH_CHARACTERS and one.letters in title
    )


def _opens(one: _Candidate, body: _ArticleBody) -> bool:
    if one.is_heading or boilerplate.is_dateline(one.block.text):
        return False
    return body.is_home(one) or (one.is_voted and one.is_prose and not body.is_foreign(one))


def _belongs(one: _Candidate, body: _ArticleBody) -> bool:
    if one.block.place.tag == "figcaption" or boilerplate.is_pointer(one.block.text, one.block.linked):
        return False
    is_home = body.is_home(one)
    if one.is_voted and is_home:
        return one.block.linked < MAX_LINKED_VOTED
    if one.is_voted:
        return one.is_prose and not body.is_foreign(one)
    if body.is_quoted(one):
        return True
    is_long = one.length >= MIN_UNVOTED_CHARACTERS and one.block.linked < MAX_LINKED
    return is_home and is_long and not body.is_foreign(one)


def _end(kept: list[_Candidate], body: _ArticleBody) -> int:
    """The index of the first closing line; closing lines are together at the end."""
    end = len(kept)
    while end > 1 and not body.is_home(kept[end - 1]):
        end -= 1
    room = MAX_CLOSING_SHARE * sum(one.length for one in kept)
    between = 0
    for index in range(end - 1, 0, -1):
        room -= kept[index].length
        if boilerplate.is_closing(kept[index].block.text) and room > 0:
            end, between = index, 0
        else:
            between += kept[index].length
        if between > MAX_AFTER_CLOSING:
            break
    while end > 1 and kept[end - 1].is_heading:
        end -= 1
    return end
