"""The command line. Commands live one file per noun and are imported only when called."""

import io
import os
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scoop import config as settings
from scoop.cli import usage
from scoop.errors import ScoopError, UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS = {
    "up": "Run everything: workers, scheduler and the web page.",
    "demo": "The newsstand: a small fictional world to try Scoop on.",
    "sources": "Where items come from: list, show, add, change, remove, enable, disable, test, import, export.",
    "publishers": "Names of publishers: list, change.",
    "preview": "Show the items of a feed, without storing anything.",
    "extract": "Show the article on a page: title, authors, date and text.",
    "alerts": "List problems that need attention: late digests, dead sources, failing articles.",
    "metrics": "Print the metrics of the desk in the text format of Prometheus.",
    "ingest": "Fetch sources, or push a file of items.",
    "normalize": "Turn waiting arrivals into documents.",
    "dedup": "Fold waiting documents into stories.",
    "embed": "Embed documents that lack an embedding; change or list the models.",
    "run-once": "Run all stages until nothing is due.",
    "worker": "Run the stages as a service, without the web page.",
    "evaluate": "Measure how well stories agree with gold labels.",
    "replay": "Run part of the ledger again under other settings, and show which stories differ.",
    "topics": "Subjects of digests: list, add, change, rules, channels, test, suppress.",
    "assign-topics": "Find the topics that waiting stories belong to.",
    "digest": "Make the digest of a topic and a local date.",
    "tools": "Tools whose mentions are counted: names, aliases, merges, candidates, re-analyses.",
    "sentiment": "What people say about a tool, or about each tool.",
    "curators": "Interests, and the best articles for them: list, show, add, change, remove, test, label, import.",
    "curate": "Look for new articles of a curator, evaluate them, and choose the best of a date.",
    "curator": "What curators know of one article: explain.",
    "digests": "The latest digests, live and shadow; `show` lists every candidate.",
    "posts": "The outbox: posts that were sent, wait, or are held for you to decide.",
    "webhooks": "Programs that receive events and digests.",
    "projections": "Other stores that the desk's data is written to: lag, items, errors; rebuild; files.",
    "legacy": "Move over from an older system: import, compare, switch, fall back.",
    "acceptance": "Check all that must hold before an older system is switched off.",
    "events": "List the latest events, each with all its coverage.",
    "event": "Show one event with its summary, stories and documents.",
    "search": "Find events by words and by meaning.",
    "stories": "List the latest single stories.",
    "story": "Show one story with its documents.",
    "why": "Explain why a document is in its story.",
    "review": "Decide on stories that may be one: list, merge, put together, keep apart, split, move, undo.",
    "translate": "Translate an article into another language.",
    "summaries": "Summaries of events and articles: list, show, ask, redo, retry.",
    "lessons": "Texts for learners of English: list, show, make, choose, measure.",
    "prompts": "Prompts of the texts that writers make: list, show, render.",
    "spend": "Show what texts by writers cost, and what is left of today's budgets.",
    "calibrate": "Propose thresholds from the decisions of reviewers.",
    "export": "Write events, stories or documents as NDJSON, CSV or Parquet.",
    "mcp": "Run an MCP server for an assistant on this machine.",
    "stats": "Count sources, runs, arrivals, documents, stories and decisions.",
    "runs": "List the latest runs of sources and ingests.",
    "refused": "List refused items with line and problems.",
    "work": "Show the queue: waiting, failed and quarantined work.",
    "retry": "Show the retry queue: list, now.",
    "users": "User accounts: list, show, add, change, enable, disable, remove.",
    "keys": "API keys of users: list, add, remove.",
    "plugins": "List the plugins: sources, channels, embedders, writers, voices and projections, with their options.",
    "schema": "Print the JSON Schema of a canonical item.",
    "config": "Show the settings, where each comes from, and what is wrong with them.",
    "doctor": "Check this installation, and say what to do about each problem.",
    "db": "The database: url, psql, migrate, status.",
    "completion": "Print the script that completes commands in your shell.",
    "version": "Show the version of the program and of its schema.",
    "help": "Show the help of a command.",
}

WITHOUT_SETTINGS = {"config", "doctor", "completion", "version", "help"}  # which work, or say more, if one is wrong


class LazyGroup(usage.CommandGroup):
    """The group of all commands; a command is imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load_command(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """Complete from the table above: importing every command for its help takes a second."""
        from click.shell_completion import CompletionItem

        names = [CompletionItem(name, help=about) for name, about in COMMANDS.items() if name.startswith(incomplete)]
        return names + click.Command.shell_complete(self, ctx, incomplete)


@cache
def load_command(name: str) -> click.Command:
    command = import_module(f"scoop.cli.{name.replace('-', '_')}").command
    assert isinstance(command, click.Command)  # noqa: S101
    command.name = name
    usage.accept_verbosity(command)
    return command


def _print_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from scoop.cli import version

        click.echo(version.text())
        ctx.exit()


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    params=usage.verbosity(hidden=False),
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Show the version of the program and of its schema.",
)
@click.pass_context
def scoop(ctx: click.Context) -> None:
    """Scoop, a self-hosted news desk.

    \b
    Examples:
      scoop up                              run everything, with a demo when no source is configured
      scoop ingest --items news.ndjson      take in your own items
      scoop run-once                        do all that is due and exit (for cron)
      scoop events --limit 10               the latest events
      scoop why https://example.com/a       why a document is in its story
      scoop doctor                          what is wrong, and what to do

    `scoop help COMMAND` shows a command with examples; commands that show something have --json. -v and -q may also
    follow the command. Settings come from SCOOP_* variables and scoop.toml; see `scoop config show`. Exit codes:
    0 done, 1 something was refused or not found, 2 wrong usage, 3 wrong setting, 4 no database.
    """
    if ctx.invoked_subcommand in WITHOUT_SETTINGS:
        return
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # there is one process per core: more threads only compete
    ctx.obj = settings.load(os.environ, current_folder())
    for name, problem in settings.unknown_variables(os.environ).items():
        click.echo(f"scoop: {problem}", err=True)
        del os.environ[name]  # it has no effect, and worker processes need not repeat the warning


def main() -> None:
    """Run the command line; every error is one sentence on standard error, never a traceback."""
    _open_closed_streams()
    _buffer_output()
    try:
        _refuse_other_encodings(sys.argv[1:])
        scoop(standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(error.exit_code)
    except click.UsageError as error:
        _fail(usage.message(error), error.exit_code)
    except click.ClickException as error:
        _fail(error.format_message(), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except ScoopError as error:
        _fail(str(error), error.exit_code)
    except BrokenPipeError:
        _discard_output()  # the program that read it has closed the pipe, as `head` does
        sys.exit(0)
    except OSError as error:
        _discard_output()
        _fail(f"the output cannot be written: {(error.strerror or str(error)).lower()}", 1)


def _fail(reason: str, exit_code: int) -> None:
    click.secho(f"scoop: {reason}", err=True, fg="red")
    sys.exit(exit_code)


def current_folder() -> Path:
    """Where a scoop.toml may lie."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path("/")  # the current folder was removed


def _open_closed_streams() -> None:
    """Replace a stream that the caller closed by an empty one."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115


def _buffer_output() -> None:
    """Write all of the output where PYTHONUNBUFFERED is set: a pipe can take a part, and Python drops the rest."""
    binary = getattr(sys.stdout, "buffer", None)
    if isinstance(binary, io.RawIOBase):
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(binary), encoding=sys.stdout.encoding, errors=sys.stdout.errors, line_buffering=True
        )


def _discard_output() -> None:
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115


def _refuse_other_encodings(arguments: list[str]) -> None:
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError as error:
            raise UsageError(f"the argument {argument!r} is not UTF-8") from error
