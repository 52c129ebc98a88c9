"""RSS and Atom that are well-formed XML: read once, from front to back, in little memory."""

from collections.abc import Iterator
from typing import Any

from lxml import etree

from scoop.core.feeds import elements
from scoop.core.feeds.feed import Entry, Feed, items

CHUNK = 1 << 16
MAX_ENTRY_BYTES = 4 << 20
MAX_ENTRY_TAGS = 100_000  # opened, closed, and attributes; the tree takes some 250 bytes for each
ROOTS = ("rss", "RDF", "feed", "channel")
ENTRIES = ("item", "entry")


class Unfit(Exception):
    """This is for the lenient reader."""


def read(document: bytes, *, url: str) -> Feed:
    """The feed; Unfit for what is not well-formed or declares entities."""
    if b"<!ENTITY" in document:
        raise Unfit("it declares entities")
    reader = _Reader(document, url)
    found, problems = items(reader.entries())
    if reader.root is None:
        raise Unfit("it does not begin as a feed does")
    return elements.feed(reader.root, found, [*problems, *reader.problems], url=url)


class _Reader:
    """One pass over a document; entries are forgotten once they were given out."""

    def __init__(self, document: bytes, url: str) -> None:
        self._document = document
        self._url = url
        self.root: Any = None
        self.problems: list[str] = []

    def entries(self) -> Iterator[Entry]:
        around = None
        for element in self._elements():
            around = around or elements.Surroundings(self.root, url=self._url)
            yield elements.entry(element, around)
            _forget(element)

    def _elements(self) -> Iterator[Any]:
        parser = _parser()
        size = tags = 0
        for at in range(0, len(self._document), CHUNK):
            chunk = self._document[at : at + CHUNK]
            error = _fed(parser, chunk)
            size, tags = size + len(chunk), tags + chunk.count(b"<") + chunk.count(b'="') + chunk.count(b"='")
            for event, element in parser.read_events():
                if self.root is None:
                    self.root = element
                if event == "end" and self._is_entry(element):
                    size = tags = 0
                    yield element
                if event == "end" and element is self.root:
                    return  # whatever follows is not of the feed
            if error:
                raise Unfit(str(error))
            if size > MAX_ENTRY_BYTES or tags > MAX_ENTRY_TAGS:
                self.problems.append("one item is larger than any article; what follows it was not read")
                return
        raise Unfit("it ends in the middle")

    def _is_entry(self, element: Any) -> bool:
        """An entry of the feed, not of something that an entry quotes."""
        if etree.QName(element).localname not in ENTRIES:
            return False
        parent = element.getparent()
        return parent is None or parent is self.root or parent.getparent() is self.root


def _parser() -> etree.XMLPullParser:
    return etree.XMLPullParser(
        events=("start", "end"), tag=[f"{{*}}{name}" for name in (*ROOTS, *ENTRIES)], encoding="utf-8",
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True,
        remove_pis=True,
    )  # fmt: skip


def _fed(parser: etree.XMLPullParser, chunk: bytes) -> etree.XMLSyntaxError | None:
    try:
        parser.feed(chunk)
    except etree.XMLSyntaxError as error:
        return error
    return None


def _forget(element: Any) -> None:
    """Free what was read; the element itself stays until its parser has left it."""
    element.clear(keep_tail=False)
    while (before := element.getprevious()) is not None and before.tag == element.tag:
        element.getparent().remove(before)
