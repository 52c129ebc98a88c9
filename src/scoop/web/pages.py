"""The pages as text."""

from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

import jinja2

from scoop.store.reading import StoryDetail
from scoop.web import reader, story, words
from scoop.web.day import DayPage
from scoop.web.reader import Reader

SHOWN_OUTLETS = 6
SHOWN_COMPANY = 3  # what else tells of a story's event is folded after these


def render_day(page: DayPage, reader: Reader, *, instead_of_today: bool) -> str:
    return _render("day.html", reader=reader, page=page, instead_of_today=instead_of_today)


def render_story(detail: StoryDetail, reader: Reader) -> str:
    return _render(
        "story.html",
        reader=reader,
        story=detail.story,
        members=detail.members,
        company=detail.company,
        member_by_id={member.document_id: member for member in detail.members},
        ticks=story.timeline(detail.members),
    )


def render_problem(*, title: str, text: str, may_pass: bool) -> str:
    return _render("problem.html", title=title, text=text, may_pass=may_pass)


def _render(template: str, **context: Any) -> str:
    return _templates().get_template(template).render(context)


@cache
def _templates() -> jinja2.Environment:
    templates = jinja2.Environment(
        loader=jinja2.PackageLoader("scoop.web"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals |= {
        "words": words,
        "why": story.why,
        "day_href": reader.day_href,
        "static": static_href,
        "SHOWN_OUTLETS": SHOWN_OUTLETS,
        "SHOWN_COMPANY": SHOWN_COMPANY,
    }
    return templates


@cache
def static_href(name: str) -> str:
    """The address of a static file, another one whenever its content is."""
    content = files("scoop.web").joinpath("static", name).read_bytes()
    return f"/static/{name}?v={sha256(content).hexdigest()[:12]}"
