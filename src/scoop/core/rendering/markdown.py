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
        common.heading(digest),
        *filter(None, [escaped(common.introduction(digest))]),
        *(block for telling in digest.tellings for block in _blocks(digest, telling)),
        "---",
        f"*{escaped(common.dateline(digest))}*",
    ]
    return "\n\n".join(blocks) + "\n"


def escaped(line: str) -> str:
    """The text escaped so that Markdown shows every character and interprets none."""
    return _MARKUP.sub(r"\\\g<0>", line)


def _blocks(digest: Digest, telling: Telling) -> list[str]:
    change, source = escaped(common.change(telling)), escaped(common.source(telling))
    words, mark = common.phrases_of(digest), common.mark(digest, telling)
    more, reason = common.unnamed_twins(telling), escaped(common.reason(telling))
    blocks = [
        f"## {_linked(telling)}",
        f"**{mark}**" if mark else "",
        f"**{common.DEVELOPED}** {change}" if change else "",
        escaped(common.summary(telling)),
        f"**{escaped(common.verdict(telling, words))}**" if telling.relevance else "",
        f"{words.reason}: {reason}" if reason else "",
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
