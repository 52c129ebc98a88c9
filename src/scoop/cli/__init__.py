"""The command line. Commands live one file per noun and are imported only when called."""

import os
import sys
from importlib import import_module
from pathlib import Path

import click

from scoop import __version__, config
from scoop.errors import ScoopError, UsageError

COMMANDS = {
    "up": "Run everything: workers, scheduler and the web page.",
    "demo": "The newsstand: a small fictional world to try Scoop on.",
    "sources": "Where items come from: list, add, edit, test, import, export.",
    "preview": "Show what a feed holds, without storing anything.",
    "extract": "Show the article on a page: title, authors, date and text.",
    "alerts": "What an operator should look at: sources that died or went quiet.",
    "ingest": "Visit sources, or take in a file of items.",
    "normalize": "Turn waiting arrivals into documents.",
    "dedup": "Fold waiting documents into stories.",
    "embed": "Embed documents that lack an embedding; change or list the models.",
    "run-once": "Run all stages in order until nothing is left to do.",
    "worker": "Work on what is due, as a service without the web page.",
    "evaluate": "Measure how well stories agree with what people say.",
    "replay": "Tell the ledger again under other settings, and show which stories differ.",
    "topics": "What digests are about: list, add, rules, channels, try out, suppress.",
    "assign-topics": "Find the topics that waiting stories belong to.",
    "digest": "Make the digest of a topic and a local date.",
    "digests": "The latest digests, live and shadow; `show` tells what became of each candidate.",
    "posts": "The outbox: what was posted, what waits, and what is held for you to decide.",
    "webhooks": "Programs that are told of stories and digests: list, add, remove, test, deliveries.",
    "legacy": "Move over from an older system: import, compare, switch, fall back.",
    "acceptance": "Check all that must hold before an older system is switched off.",
    "stories": "List the latest stories.",
    "search": "Find stories by words and by what they mean.",
    "story": "Show one story with everything that belongs to it.",
    "why": "Explain how a document came to its story.",
    "review": "Decide on stories that may be one: list, merge, keep apart, split, undo.",
    "calibrate": "Propose thresholds that follow from what people decided.",
    "export": "Write stories or documents as NDJSON, CSV or Parquet.",
    "mcp": "Let an assistant on this machine ask the desk.",
    "stats": "How much there is of everything.",
    "runs": "The latest runs of sources and ingests.",
    "refused": "Items that were refused, with place and reason.",
    "work": "The queue: what waits, what failed, what is quarantined.",
    "users": "People who may sign in: list, add, password, role, enable, disable, remove.",
    "keys": "Keys by which programs come in: list, add, remove.",
    "schema": "Print the JSON Schema of a canonical item.",
    "db": "The database: url, psql, migrate, status.",
}


class Lazy(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"scoop.cli.{cmd_name.replace('-', '_')}").command
        assert isinstance(command, click.Command)  # noqa: S101
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="scoop")
@click.pass_context
def scoop(ctx: click.Context) -> None:
    """Scoop, a self-hosted news desk.

    \b
    Examples:
      scoop up                              run everything, with a demo when no source is configured
      scoop ingest --items news.ndjson      take in your own items
      scoop run-once                        do all that is due and exit (for cron)
      scoop stories --limit 10              the latest stories
      scoop why https://example.com/a       why a document is in its story

    Every command has --help with examples, and those that show something have --json.
    Settings come from SCOOP_* variables and scoop.toml. Exit codes: 0 done, 1 something was refused or not found,
    2 wrong usage, 3 wrong setting, 4 no database.
    """
    ctx.obj = config.load(os.environ, _folder())


def main() -> None:
    """Run the command line; what goes wrong is one sentence, never a traceback."""
    _open_closed_streams()
    try:
        _refuse_what_is_no_text(sys.argv[1:])
        scoop(standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except ScoopError as error:
        click.secho(f"scoop: {error}", err=True, fg="red" if sys.stderr.isatty() else None)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        _forget_output()  # whoever read it has enough
        sys.exit(0)
    except OSError as error:
        _forget_output()
        click.echo(f"scoop: the output cannot be written: {(error.strerror or str(error)).lower()}", err=True)
        sys.exit(1)


def _folder() -> Path:
    """Where a scoop.toml may lie."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path("/")  # the folder we stand in was removed


def _open_closed_streams() -> None:
    """A stream that whoever started us closed is as good as an empty one."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115


def _forget_output() -> None:
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115


def _refuse_what_is_no_text(arguments: list[str]) -> None:
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError as error:
            raise UsageError(f"the argument {argument!r} is not UTF-8") from error
