"""The visible text of a page: blocks in reading order, each with its container."""

import re
from dataclasses import dataclass

from lxml.html import HtmlElement

# Scripts, controls, and elements that HTML defines as not part of the article.
_SKIPPED = frozenset(
    """
    script style noscript template svg math canvas iframe frame object embed video audio map nav aside footer dialog
    menu input select option textarea button label datalist output progress meter head title meta link rp rt
    """.split()  # noqa: SIM905  # a list of quoted names would be hard to read
)
_TEXT_TAGS = frozenset(
    """
    p li ul ol dl dt dd blockquote pre table thead tbody tfoot tr caption h1 h2 h3 h4 h5 h6 figure figcaption
    """.split()  # noqa: SIM905
)
_BOX_TAGS = frozenset(
    """
    html body main article section header hgroup div center address details summary form fieldset hr
    """.split()  # noqa: SIM905
)
_BLOCK_TAGS = _TEXT_TAGS | _BOX_TAGS
_CELL_TAGS = frozenset({"td", "th"})
_INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
# Inside a paragraph, but not part of its sentence.
_INTERJECTED = re.compile(
    r"tooltip|popover|popup|sr-only|screen-?reader|visually-?hidden|caption|credit", re.IGNORECASE
)
MAX_NAMES_CHARACTERS = 500
_DENSE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff01-\uff9f]+")
_SPACES = re.compile(r"[^\S\n]+")
_PARAGRAPH_END = re.compile(r"\s*\n\s*\n\s*")


def length(text: str) -> int:
    """The number of characters; one of Chinese, Japanese or Korean counts as three."""
    if text.isascii():
        return len(text)
    return len(text) + 2 * sum(map(len, _DENSE.findall(text)))


@dataclass(slots=True, eq=False)
class Container:
    """An element that holds blocks."""

    element: HtmlElement
    tag: str
    parent: "Container | None"
    depth: int

    def names(self) -> str:
        """The classes and the id, truncated: hostile pages have megabytes of them."""
        return f"{self.element.get('class') or ''} {self.element.get('id') or ''}"[:MAX_NAMES_CHARACTERS]


@dataclass(slots=True, eq=False)
class Block:
    """Text without a break; `linked` is the share of it that is inside links."""

    text: str
    place: Container
    linked: float

    def box(self) -> Container:
        """The innermost container that is not a paragraph, a list or a table."""
        place = self.place
        while place.tag in _TEXT_TAGS and place.parent is not None:
            place = place.parent
        return place


def read(tree: HtmlElement) -> list[Block]:
    body = tree.find("body")
    root = tree if body is None else body
    walk = _Walk()
    walk.enter(root, Container(root, root.tag, None, 0), is_linked=False)
    return walk.blocks


class _Walk:
    """One pass over the tree; the parser allows 255 levels, so recursion is safe."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._pieces: list[str] = []
        self._linked = 0

    def enter(self, element: HtmlElement, place: Container, *, is_linked: bool) -> None:
        is_block = element.tag in _BLOCK_TAGS
        if is_block:
            self._close(place)
            place = Container(element, element.tag, place, place.depth + 1)
        elif element.tag in _CELL_TAGS:
            self._open_cell(element, place)
        is_linked = is_linked or element.tag == "a"
        self._take(element.text, is_linked)
        for child in element:
            if child.tag == "br":
                self._pieces.append("\n")
            elif child.tag not in _SKIPPED and isinstance(child.tag, str) and not _is_hidden(child):
                self.enter(child, place, is_linked=is_linked)
            self._take(child.tail, is_linked)
        if is_block:
            self._close(place)

    def _open_cell(self, cell: HtmlElement, place: Container) -> None:
        """Join a row of short cells into one line; cells that hold paragraphs are layout."""
        if any(inner.tag in _BLOCK_TAGS for inner in cell.iter()):
            self._close(place)
        elif self._pieces:
            self._pieces.append(" | ")

    def _take(self, text: str | None, is_linked: bool) -> None:
        if text:
            self._pieces.append(text.replace("\n", " "))
            if is_linked:
                self._linked += len(text)

    def _close(self, place: Container) -> None:
        whole = "".join(self._pieces)
        if whole and not whole.isspace():
            linked = min(1.0, self._linked / len(whole))
            paragraphs = _PARAGRAPH_END.split(_SPACES.sub(" ", whole).strip())
            self.blocks += [Block(paragraph, place, linked) for paragraph in paragraphs if paragraph]
        self._pieces.clear()
        self._linked = 0


def _is_hidden(element: HtmlElement) -> bool:
    if element.get("hidden") is not None:
        return True
    style = element.get("style")
    if style is not None and _INVISIBLE.search(style, 0, MAX_NAMES_CHARACTERS):
        return True
    names = element.get("class")
    return (
        names is not None
        and element.tag not in _BLOCK_TAGS
        and _INTERJECTED.search(names, 0, MAX_NAMES_CHARACTERS) is not None
    )
