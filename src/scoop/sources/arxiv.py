"""The arxiv source: the newest papers that match a query."""

import re
from datetime import timedelta
from typing import Annotated, ClassVar
from urllib.parse import urlencode

import msgspec

from scoop import sources
from scoop.core import text
from scoop.errors import FetchFailed
from scoop.model import Item
from scoop.sources import Harvest, Visit, kept_headers
from scoop.sources.http import parse_feed, with_interval

BETWEEN_REQUESTS = timedelta(seconds=3)  # required by arXiv's terms of use
CATEGORY = msgspec.Meta(pattern=r"^[a-z-]+(\.[A-Za-z-]+)?$", description="a category such as cs.CL")

_PAPER = re.compile(r"https?://arxiv\.org/abs/(?P<id>[\w./-]+?)(?:v(?P<version>\d{1,4}))?")
_ERROR = "arxiv.org/api/errors"


class Arxiv:
    """Papers from the arXiv API; the one that changed last comes first.

    A paper keeps its id in all versions; a new version is a new version of the same document. The abstract is the text
    and the categories are the tags. The paper itself is linked, never fetched.
    """

    name = "arxiv"
    access = "editor"
    base_url = "https://export.arxiv.org/api/query"
    targets: ClassVar = {
        r"arxiv:(?P<category>[a-z-]+(?:\.[A-Za-z-]+)?)": "arxiv:cs.CL",
        r"https?://arxiv\.org/list/(?P<category>[^/]+)/.*": "https://arxiv.org/list/cs.CL/recent",
    }

    class Options(sources.ServiceOptions, frozen=True, kw_only=True):
        """Give either `query` or `category`.

        `query`: a query of the arXiv API, as cat:cs.CL AND abs:translation.
        `category`: all papers of a category, as cs.CL.
        `limit`: the number of papers.
        """

        query: Annotated[str, msgspec.Meta(min_length=1, max_length=1000)] | None = None
        category: Annotated[str, CATEGORY] | None = None
        limit: Annotated[int, msgspec.Meta(ge=1, le=200)] = 50

        def __post_init__(self) -> None:
            if (self.query is None) == (self.category is None):
                raise ValueError("give one of the options query (as all:translation) and category (as cs.CL)")

    def __init__(self, options: Options) -> None:
        self.options = options

    async def fetch(self, visit: Visit) -> Harvest:
        options = self.options
        query = {
            "search_query": options.query or f"cat:{options.category}",
            "sortBy": "lastUpdatedDate",
            "sortOrder": "descending",
            "max_results": options.limit,
        }
        url = f"{visit.source.base_url}?{urlencode(query)}"
        response = await with_interval(visit, BETWEEN_REQUESTS).get(url, is_api=True)
        feed = await parse_feed(visit, response)
        papers = [paper for entry in feed.items if (paper := _item(entry))]
        return Harvest(
            items=papers,
            health="ok" if papers else "empty",
            problems=feed.problems,
            response_headers=kept_headers(response),
        )


def _item(entry: Item) -> Item | None:
    """The paper of an entry; FetchFailed if the entry is arXiv's error message."""
    name = entry["source_item_id"]
    if _ERROR in name:
        raise FetchFailed(f"arXiv rejected the query: {entry.get('body_text', 'no reason given')}", health="http_error")
    if not (paper := _PAPER.fullmatch(name)):
        return None
    arxiv_id, version = paper["id"], int(paper["version"] or 1)
    metadata = {
        "platform": "arxiv",
        "version": version,
        "updated_at": entry.get("source_metadata", {}).get("updated_at"),
        "pdf_url": f"https://arxiv.org/pdf/{arxiv_id}v{version}",
        "full_text": "never",
    }
    return {
        **entry,
        "source_item_id": arxiv_id,
        "canonical_url": f"https://arxiv.org/abs/{arxiv_id}",
        "body_text": text.one_line(entry.get("body_text", "")),  # the abstract comes in lines of 80 characters
        "source_metadata": {key: value for key, value in metadata.items() if value is not None},
    }
