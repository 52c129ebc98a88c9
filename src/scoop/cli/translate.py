"""`scoop translate`: an article in another language."""

from typing import TYPE_CHECKING

import click

from scoop.cli import _texts, console, runtime
from scoop.config import Config
from scoop.errors import Conflict

if TYPE_CHECKING:
    from scoop.store.db import Connection
    from scoop.store.translations import Translation


@click.command()
@click.argument("article", type=console.REFERENCE)
@click.option("--to", "language", required=True, metavar="LANGUAGE", help="The language to translate into, as de.")
@console.as_json
@click.pass_obj
def command(config: Config, article: str, language: str, as_json: bool) -> None:
    """Translate an article into another language.

    ARTICLE is its number, its art_ id or its URL. The command waits for the translation and prints it. What was
    translated before, with the same text and model, is printed at once and costs nothing. Set the writer of the
    section [tasks.translation] first.

    \b
    Examples:
      scoop translate 4711 --to de
      scoop translate https://tribune.example/harbour --to ja --json
    """
    made = runtime.run_logged(config, _translate(config, article, language))
    if as_json:
        console.print_json(made)
    else:
        _print(made)


async def _translate(config: Config, name: str, code: str) -> "Translation":
    from scoop.actions import translations

    language = translations.check_language(code)
    async with runtime.open_connection(config) as conn:
        document_id = (await _texts.find_document(conn, name)).subject_id

    async def ask(conn: "Connection") -> int:
        return await translations.ask(conn, document_id, language, tasks=config.tasks)

    state = await _texts.write_now(config, ask)
    async with runtime.open_connection(config) as conn:
        listed = await translations.list_translations(conn, document_id)
    made = next((each for each in listed.items if each.language == language), None)
    if made is None or state.problem or state.work_state is not None:
        raise Conflict(f"not translated: {state.problem or state.work_error or 'another worker has not finished it'}")
    return made


def _print(made: "Translation") -> None:
    from scoop.core.briefs import prompts

    console.notice(f"machine translation from {prompts.language_name(made.from_language)} by {made.model}")
    parts = [made.title, *([made.summary] if made.summary else []), *made.paragraphs]
    click.echo("\n\n".join(parts))
    if made.is_cut:
        console.notice(f"the first {len(made.paragraphs)} of {made.paragraph_count} paragraphs")
