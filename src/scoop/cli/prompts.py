"""`scoop prompts`: the prompts of texts by writers."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import click

from scoop.cli import _texts, console, runtime, usage
from scoop.config import Config
from scoop.errors import NotFound, UsageError
from scoop.model import LEVELS
from scoop.task_settings import TASKS

if TYPE_CHECKING:
    from scoop.core.briefs import BriefKind, Order, Prompt, SubjectKind
    from scoop.core.briefs.prompts import Template
    from scoop.store.db import Connection

SIDES = 2  # documents of a pair
ABOUT_EVENTS = {"summary", "lesson", "support"}  # texts about an article or an event; the others have one article


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderSubject:
    """What a prompt is about; a mention and a question have no collection."""

    kind: "SubjectKind"
    subject_id: int
    collection: str = ""


@click.group(cls=usage.CommandGroup)
def command() -> None:
    """Prompts of the texts that writers make: list, show, render.

    A prompt is a file with a version. A text is stored with the version that made it; a new version does not replace
    texts that exist, `scoop summaries redo` does.

    \b
    Examples:
      scoop prompts list
      scoop prompts show summary
      scoop prompts render summary 31
    """


@command.command("list")
@console.as_json
def list_(as_json: bool) -> None:
    """List the prompts with their versions.

    \b
    Example:
      scoop prompts list
    """
    from scoop.core.briefs import prompts

    found = prompts.list_templates()
    if as_json:
        console.print_json(found)
        return
    rows = [(each.prompt_id, each.prompt_version, each.max_output_tokens) for each in found]
    console.print_table(("prompt", "version", "output tokens"), rows, empty="")


@command.command()
@click.argument("prompt")
@console.as_json
def show(prompt: str, as_json: bool) -> None:
    """Show a prompt as it is in its file; {names} are filled in when it is sent.

    \b
    Example:
      scoop prompts show translation
    """
    template = _template(prompt)
    if as_json:
        console.print_json(template)
    else:
        click.echo(f"# {template.prompt_id} {template.prompt_version}: system\n{template.system}\n")
        click.echo(f"# {template.prompt_id} {template.prompt_version}: user\n{template.user}")


def _template(prompt_id: str) -> "Template":
    from scoop.core.briefs import prompts

    templates = {each.prompt_id: each for each in prompts.list_templates()}
    if prompt_id not in templates:
        raise NotFound(f"there is no prompt {prompt_id!r}; there are {', '.join(templates)}")
    return templates[prompt_id]


@command.command()
@click.argument("kind", type=click.Choice(TASKS))
@click.argument("names", metavar="SUBJECT...", nargs=-1, required=True, type=console.REFERENCE)
@click.option("--language", metavar="LANGUAGE", help="The language to write in, as de.")
@click.option("--level", type=click.Choice(LEVELS), default="B1", show_default=True, help="The level of a lesson.")
@click.option("--curator", metavar="SLUG", help="The curator of an evaluation.")
@click.option("--sentence", "sentences", metavar="TEXT", multiple=True, help="A sentence that support is asked about.")
@click.option("--document", "is_document", is_flag=True, help="A number names an article, not an event.")
@console.as_json
@click.pass_obj
def render(
    config: Config,
    kind: str,
    names: tuple[str, ...],
    language: str | None,
    level: str,
    curator: str | None,
    sentences: tuple[str, ...],
    is_document: bool,
    as_json: bool,
) -> None:
    """Print the messages that would be sent to a model, without sending them.

    An event is a number or UUID, an article an art_ id, a URL or, with --document, a number. A translation takes one
    article, same_event two, a lesson one article or event; an evaluation one article and --curator, support an article
    or event and a --sentence or more, sentiment the number of a mention, question that of a question about tools. The
    language of a summary is that of the settings unless --language names one.

    \b
    Examples:
      scoop prompts render summary 31 --language de
      scoop prompts render translation https://tribune.example/harbour --language ja
      scoop prompts render same_event --document 4711 4712
      scoop prompts render evaluation https://tribune.example/harbour --curator ai-tools
      scoop prompts render support 31 --sentence "The harbour is closed."
    """
    subjects = _Subjects(names=names, is_document=is_document)
    rendered = runtime.run(_render(config, kind, subjects, language, level, curator=curator, sentences=sentences))
    if as_json:
        console.print_json(rendered)
        return
    click.echo(f"# system\n{rendered.system}\n\n# user\n{rendered.user}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Subjects:
    """What a prompt is about, as it was typed; `is_document`: a number names an article."""

    names: tuple[str, ...]
    is_document: bool


async def _render(
    config: Config,
    kind: str,
    subjects: _Subjects,
    language: str | None,
    level: str,
    *,
    curator: str | None,
    sentences: tuple[str, ...],
) -> "Prompt":
    from scoop.actions import briefing
    from scoop.core.briefs import Order, support

    _check(kind, subjects.names, curator, sentences)
    max_tokens = await _max_tokens(config, kind)
    async with runtime.open_connection(config) as conn:
        found = [await _subject(conn, kind, name, is_document=subjects.is_document) for name in subjects.names]
        order = Order(
            kind=_brief_kind(kind),
            language=language if language is not None else _language(config, kind, found[0].collection),
            documents=(),
            level=level,
            max_prompt_tokens=max_tokens,
        )
        about = [(each.kind, each.subject_id) for each in found]
        if kind == support.TASK:
            return await briefing.render_question(conn, about, order, sentences)
        return await briefing.render_prompt(conn, about, await _for_curator(conn, order, curator))


def _check(kind: str, names: tuple[str, ...], curator: str | None, sentences: tuple[str, ...]) -> None:
    expected = SIDES if kind == "same_event" else 1
    if len(names) != expected:
        raise UsageError(f"{kind} takes {expected} {'articles' if expected > 1 else 'subject'}")
    if kind == "evaluation" and curator is None:
        raise UsageError("an evaluation needs --curator, as `scoop curators list` shows them")
    if kind == "support" and not sentences:
        raise UsageError("support needs --sentence, the sentence that the model is asked about")


async def _max_tokens(config: Config, kind: str) -> int:
    """What the writer of a task lets a prompt have; the default without a writer."""
    from scoop import app
    from scoop.core.briefs import MAX_PROMPT_TOKENS

    async with app.open_client(config) as client:
        task = app.open_tasks(config, client).get(kind)
    return task.writer.max_prompt_tokens if task is not None else MAX_PROMPT_TOKENS


def _brief_kind(kind: str) -> "BriefKind":
    """The kind of text; questions about support belong to summaries."""
    from scoop.core.briefs import support

    return "summary" if kind == support.TASK else cast("BriefKind", kind)


async def _for_curator(conn: "Connection", order: "Order", slug: str | None) -> "Order":
    """The order with the interests of a curator, and what its reader said of other articles."""
    from scoop.store import curators

    if slug is None:
        return order
    curator = await curators.by_slug(conn, slug)
    if curator.interests is None:
        raise NotFound(f"{slug} has no interests yet: {curator.problem or 'no file was read'}")
    labels = await curators.list_labels(conn, curator.topic_id)
    return replace(order, interests=curator.interests, labels=tuple(label.relevance() for label in labels))


async def _subject(conn: "Connection", kind: str, name: str, *, is_document: bool) -> "RenderSubject":
    if kind == "sentiment":
        return RenderSubject(kind="mention", subject_id=_number(name))
    if kind == "question":
        return RenderSubject(kind="question", subject_id=_number(name))
    found = (
        await _texts.find_subject(conn, name, is_document=is_document)
        if kind in ABOUT_EVENTS
        else await _texts.find_document(conn, name)
    )
    return RenderSubject(kind=found.kind, subject_id=found.subject_id, collection=found.collection)


def _number(name: str) -> int:
    if not name.isdecimal():
        raise UsageError(f"{name} is not a number")
    return int(name)


def _language(config: Config, kind: str, collection: str) -> str:
    from scoop.app import summary_policy

    if kind == "translation":
        raise UsageError("a translation needs --language, as de")
    return summary_policy(config).language_of(collection) if kind in {"summary", "support"} else ""
