"""Addresses of a claim: only those of the sources are allowed."""

import re

from scoop.core.support.passages import Sources
from scoop.core.support.signs import Signs
from scoop.core.support.views import View

FEATURES = ("links_missing",)
_END = r"\s<>\"「」『』（）()\[\]。、，"
_DOMAINS = "com|org|net|info|io|example|de|at|ch|jp|cn|uk|eu|fr|it|es|nl|ru|me|co|ly|xyz|top|app|dev|news|tv"
_LINK = re.compile(
    rf"(?:https?://|www\.)[^{_END}]+|[\w.+-]{{1,64}}@[\w-]{{1,63}}\.[\w.-]+"
    rf"|\b(?:[a-z0-9-]{{1,63}}\.){{1,4}}(?:{_DOMAINS})\b(?:/[^{_END}]*)?",
    re.IGNORECASE | re.ASCII,
)


def check(view: View) -> Signs:
    found = findings(view.claim.text, view.sources)
    return Signs((len(found),), found)


def findings(text: str, sources: Sources) -> tuple[str, ...]:
    """A finding for each address or domain that no source names."""
    if "." not in text:
        return ()
    links = [match[0].rstrip(".,;:!?'’”") for match in _LINK.finditer(text)]
    return tuple(f"the link {link} is not in the source" for link in links if link.lower() not in sources.written)
