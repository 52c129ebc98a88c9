"""A digest as CommonMark."""

import re

from scoop.core.rendering import common
from scoop.model import Digest, Telling

# CommonMark ignores `{` and `$`, but site generators and notebooks do not.
_MARKUP = re.compile(r"[\\`*_{}\[\]<>&|~#@$=^]|:(?=\S)|^[-+]|(?<=\d)[.)](?=\s|$)|(?<=www)\.")


def render(digest: Digest) -> str:
    """The whole digest as one text."""
    blocks = [
        f"# {escaped(common.topic_name(digest))}",
        f"{common.written_out(digest.run_date)} · {common.tally(digest) or 'nothing new today'}",
        *_opening(digest),
        *(block for telling in digest.tellings for block in _blocks(telling)),
        "---",
        f"*{escaped(common.dateline(digest))}*",
    ]
    return "\n\n".join(blocks) + "\n"


def escaped(line: str) -> str:
    """The text escaped so that Markdown shows every character and interprets none."""
    return _MARKUP.sub(r"\\\g<0>", line)


def _opening(digest: Digest) -> list[str]:
    """The introduction of a curator, and its must-read."""
    first = common.must_read(digest)
    if first is None:
        return []
    return [escaped(common.introduction(digest)), f"**{common.MUST_READ}** {_linked(first)}"]


def _blocks(telling: Telling) -> list[str]:
    change, source = escaped(common.change(telling)), escaped(common.source(telling))
    more, reason = common.unnamed_twins(telling), escaped(common.reason(telling))
    blocks = [
        f"## {_linked(telling)}",
        f"**{common.DEVELOPED}** {change}" if change else "",
        escaped(common.summary(telling)),
        f"**{escaped(common.verdict(telling))}**" if telling.relevance else "",
        f"{common.REASON}: {reason}" if reason else "",
        f"*{source}*" if source else "",
        "\n".join([*map(_twin, telling.twins[: common.TWINS_NAMED]), *([f"- {more}"] if more else [])]),
    ]
    return [block for block in blocks if block]


def _linked(telling: Telling) -> str:
    link, title = common.link(telling.url), escaped(common.headline(telling))
    return f"[{title}]({common.destination(link).replace('&', '&amp;')})" if link else title


def _twin(twin: Telling) -> str:
    link = common.link(twin.url)
    host = f" ({escaped(link.host)})" if link else ""
    return f"- {common.PROBABLY_THE_SAME} {_linked(twin)}{host}"
