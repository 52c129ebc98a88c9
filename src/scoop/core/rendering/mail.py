"""A digest as an HTML e-mail."""

from functools import cache
from importlib.resources import files

import jinja2

from scoop.core.rendering import common
from scoop.model import Digest


def html(digest: Digest) -> str:
    """The whole digest as one page without external resources."""
    return _template().render(digest=digest, subject=subject(digest), words=common)


def subject(digest: Digest) -> str:
    news = common.tally(digest) or common.phrases_of(digest).nothing_new
    return f"{common.topic_name(digest)} · {common.run_date(digest)}: {news}"


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(files(__package__).joinpath("mail.html").read_text("utf-8"))
