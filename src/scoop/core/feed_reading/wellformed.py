"""RSS and Atom that are well-formed XML: as one tree if it is small, else as a stream, in little memory."""

import re
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any

from lxml import etree

from scoop.core.feed_reading import elements, roles
from scoop.core.feed_reading.feed import MAX_ITEMS, ParsedEntry, ParsedFeed, items

CHUNK = 1 << 16
MAX_ENTRY_BYTES = 4 << 20
MAX_ENTRY_TAGS = 100_000  # opened, closed, and attributes
BYTES_PER_TAG = 250  # that a tree takes
MAX_TREE_BYTES = 32 << 20  # a larger tree is streamed, which takes a third more time
SMALL_BYTES = 1 << 19  # no tree of so few bytes is larger than that
ROOTS = ("rss", "RDF", "feed", "channel")
ENTRIES = ("item", "entry")
TOO_LARGE = "one item is far larger than any article; it was cut, and what follows was not read"
BOUNDS = {
    "encoding": "utf-8", "resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False,
    "remove_comments": True, "remove_pis": True, "collect_ids": False,
}  # fmt: skip

_ENTRY = re.compile(rb"<(?:[\w.-]+:)?(?:item|entry)[\s>/]", re.IGNORECASE)

_SUBSET = re.compile(rb"<!DOCTYPE[^>\[]*\[", re.IGNORECASE)
_DOCTYPE = re.compile(rb"<!DOCTYPE[^>]*>", re.IGNORECASE)
_NODES = etree.XPath("count(.//*) + count(.//@*)")


class Unfit(Exception):
    """Not well-formed, or declares entities: a document for the lenient parser."""


def read(document: bytes, *, url: str) -> ParsedFeed:
    """The feed; Unfit for what is not well-formed or declares entities."""
    reader = _Reader(_undeclared(document))
    found, problems = items(reader.entries(url))
    if reader.root is None:
        raise Unfit("its root element is not that of a feed")
    if not found and not reader.problems and has_entries(document):
        raise Unfit("its items are in an unexpected place")
    # Not the defaults of the entries: a streamed feed may have its title after them.
    defaults = elements.FeedDefaults(reader.root, url=url)
    return elements.feed(defaults, found, [*problems, *reader.problems])


def _undeclared(document: bytes) -> bytes:
    """Without its document type: external definitions are not loaded."""
    if b"<!DOCTYPE" not in document and b"<!doctype" not in document:
        return document
    if _SUBSET.search(document):
        raise Unfit("it declares entities")
    return _DOCTYPE.sub(b"", document)


def recovered(document: bytes, *, url: str) -> ParsedFeed:
    """A broken document cut into its entries, so that an error in one of them does not affect the others."""
    starts = [match.start() for match in islice(_ENTRY.finditer(document), MAX_ITEMS + 1)]
    head, *pieces = (document[start:end] for start, end in pairwise([0, *starts, len(document)]))
    root = _recovered(head)
    if root is None:
        root = etree.Element("rss")
    defaults = elements.FeedDefaults(root, url=url)
    entries = (entry for entry in map(_recovered, pieces) if entry is not None)
    found, problems = items(elements.entry(entry, defaults) for entry in entries)
    return elements.feed(defaults, found, problems)


def _recovered(piece: bytes) -> Any:
    return etree.fromstring(piece, etree.XMLParser(recover=True, **BOUNDS)) if piece.strip() else None


def has_entries(document: bytes) -> bool:
    """Whether any element may be an entry, at any depth."""
    return _ENTRY.search(document) is not None


class _Reader:
    """One pass over a document."""

    def __init__(self, document: bytes) -> None:
        self._document = document
        self.root: Any = None
        self.problems: list[str] = []

    def entries(self, url: str) -> Iterator[ParsedEntry]:
        defaults = None
        for element in self._elements():
            defaults = defaults or elements.FeedDefaults(self.root, url=url)
            yield elements.entry(element, defaults)

    def _elements(self) -> Iterator[Any]:
        if _fits_tree(self._document):
            self.root = _tree(self._document)
        if self.root is None:
            return self._streamed()
        return filter(self._is_entry, self.root.iter(*_wildcards(ENTRIES)))

    def _streamed(self) -> Iterator[Any]:
        """The entries in turn; each is freed when the next one is read."""
        parser = etree.XMLPullParser(events=("start", "end"), tag=_wildcards((*ROOTS, *ENTRIES)), **BOUNDS)
        size = tags = 0
        last = None
        for at in range(0, len(self._document), CHUNK):
            chunk = self._document[at : at + CHUNK]
            error = _fed(parser, chunk)
            size, tags = size + len(chunk), tags + _tags(chunk)
            for event, element in parser.read_events():
                if self.root is None:
                    self.root = element
                if event == "end" and self._is_entry(element):
                    size = tags = 0
                    yield element
                    _forget(element)
                if event == "end" and element is self.root:
                    return
                last = element if event == "start" else None
            if error:
                raise Unfit(error.msg)
            if size > MAX_ENTRY_BYTES or tags > MAX_ENTRY_TAGS or self._nodes() > MAX_ENTRY_TAGS:
                self.problems.append(TOO_LARGE)
                yield from [last] if last is not None and self._is_entry(last) else []
                return
        raise Unfit("it ends in the middle")

    def _nodes(self) -> int:
        """The size of the tree; elements between the entries are not freed."""
        return 0 if self.root is None else int(_NODES(self.root))

    def _is_entry(self, element: Any) -> bool:
        """Whether an element is an entry of the feed, not of a feed that an entry quotes."""
        if roles.local_name(element) not in ENTRIES:
            return False
        if element is self.root:
            return True
        parent = element.getparent()
        return parent is self.root or parent.getparent() is self.root


def _fits_tree(document: bytes) -> bool:
    if len(document) <= SMALL_BYTES:
        return True
    return len(document) <= MAX_ENTRY_BYTES and BYTES_PER_TAG * _tags(document) <= MAX_TREE_BYTES


def _tree(document: bytes) -> Any:
    """The whole document; None for errors that streaming forgives: undeclared prefixes, and text after the feed."""
    try:
        return etree.fromstring(document, etree.XMLParser(**BOUNDS))
    except etree.XMLSyntaxError:
        return None


def _wildcards(names: tuple[str, ...]) -> list[str]:
    return [f"{{*}}{name}" for name in names]


def _tags(document: bytes) -> int:
    return document.count(b"<") + document.count(b'="') + document.count(b"='")


def _fed(parser: etree.XMLPullParser, chunk: bytes) -> etree.XMLSyntaxError | None:
    try:
        parser.feed(chunk)
    except etree.XMLSyntaxError as error:
        return error
    return None


def _forget(element: Any) -> None:
    """Free the content of an entry; the element itself stays until its parser has left it."""
    element.clear(keep_tail=False)
    while (before := element.getprevious()) is not None and before.tag == element.tag:
        element.getparent().remove(before)
