"""`scoop prompts`: the prompts of texts by writers."""

from typing import TYPE_CHECKING

import click

from scoop.cli import _texts, console, runtime, usage
from scoop.config import Config
from scoop.errors import NotFound, UsageError
from scoop.model import LEVELS

if TYPE_CHECKING:
    from scoop.core.briefs import BriefKind, Prompt
    from scoop.core.briefs.prompts import Template
    from scoop.store.db import Connection

KINDS = ("summary", "translation", "same_event", "lesson")
SIDES = 2  # documents of a pair


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
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("names", metavar="ARTICLE_OR_EVENT...", nargs=-1, required=True, type=console.REFERENCE)
@click.option("--language", metavar="LANGUAGE", help="The language to write in, as de.")
@click.option("--level", type=click.Choice(LEVELS), default="B1", show_default=True, help="The level of a lesson.")
@click.option("--document", "is_document", is_flag=True, help="A number names an article, not an event.")
@console.as_json
@click.pass_obj
def render(
    config: Config,
    kind: "BriefKind",
    names: tuple[str, ...],
    language: str | None,
    level: str,
    is_document: bool,
    as_json: bool,
) -> None:
    """Print the messages that would be sent to a model, without sending them.

    An event is a number or UUID, an article an art_ id, a URL or, with --document, a number. A translation takes one
    article, same_event two, a lesson one article or event. The language of a summary is that of the settings unless
    --language names one.

    \b
    Examples:
      scoop prompts render summary 31 --language de
      scoop prompts render translation https://tribune.example/harbour --language ja
      scoop prompts render same_event --document 4711 4712
    """
    rendered = runtime.run(_render(config, kind, names, language, level, is_document=is_document))
    if as_json:
        console.print_json(rendered)
        return
    click.echo(f"# system\n{rendered.system}\n\n# user\n{rendered.user}")


async def _render(
    config: Config, kind: "BriefKind", names: tuple[str, ...], language: str | None, level: str, *, is_document: bool
) -> "Prompt":
    from scoop.actions import briefing

    expected = SIDES if kind == "same_event" else 1
    if len(names) != expected:
        raise UsageError(f"{kind} takes {expected} {'articles' if expected > 1 else 'article or event'}")
    async with runtime.open_connection(config) as conn:
        subjects = [await _subject(conn, kind, name, is_document=is_document) for name in names]
        written = language if language is not None else _language(config, kind, subjects[0].collection)
        found = [(each.kind, each.subject_id) for each in subjects]
        return await briefing.render_prompt(conn, kind, found, language=written, level=level)


async def _subject(conn: "Connection", kind: str, name: str, *, is_document: bool) -> _texts.TextSubject:
    if kind not in {"summary", "lesson"}:
        return await _texts.find_document(conn, name)
    return await _texts.find_subject(conn, name, is_document=is_document)


def _language(config: Config, kind: str, collection: str) -> str:
    from scoop.app import summary_policy

    if kind == "translation":
        raise UsageError("a translation needs --language, as de")
    return summary_policy(config).language_of(collection) if kind == "summary" else ""
