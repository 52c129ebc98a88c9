"""`scoop tools`: the tools whose mentions are counted."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scoop.cli import console, runtime, usage
from scoop.config import Config

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from scoop.core.tools import Tool
    from scoop.store.db import Connection

tool_argument = click.argument("tool")
MANY = 50


@click.group(cls=usage.CommandGroup)
def command() -> None:
    """Tools whose mentions are counted: names, aliases, merges, candidates, re-analyses.

    A tool is named by its slug or id. A change of its names is followed by a re-analysis of the documents that it can
    concern; every change is in the audit log.

    \b
    Examples:
      scoop tools starter                        developer tools that you can follow
      scoop tools choose docker kubernetes
      scoop tools add "Tussock" --category editor --alias "Tussock editor"
      scoop sentiment tussock --chart
    """


def _change(config: Config, act: "Callable[[Connection], Coroutine[Any, Any, Tool]]", *, as_json: bool) -> None:
    """Run a change of a tool in a transaction, and print the tool."""
    tool = runtime.run(_in_transaction(config, act))
    if as_json:
        console.print_json(tool)
    else:
        click.echo(f"{tool.slug}: {tool.status}, {tool.name} ({', '.join(tool.categories)})")


async def _in_transaction(config: Config, act: "Callable[[Connection], Coroutine[Any, Any, Any]]") -> Any:
    async with runtime.open_connection(config) as conn, conn.transaction():
        return await act(conn)


@command.command("list")
@console.as_json
@click.pass_obj
def list_tools(config: Config, as_json: bool) -> None:
    """List all tools."""
    from scoop.store import tools

    listed: Sequence[Tool] = runtime.run(_in_transaction(config, tools.list_tools))
    if as_json:
        console.print_json(listed)
        return
    by_number = {tool.tool_number: tool for tool in listed}
    console.print_table(
        ("tool", "status", "name", "vendor", "categories", "merged into", "aliases"),
        [
            (
                tool.slug,
                tool.status,
                tool.name,
                tool.vendor,
                ", ".join(tool.categories),
                by_number[tool.merged_into].slug if tool.merged_into else "",
                ", ".join(tool.aliases),
            )
            for tool in listed
        ],
        empty="there are no tools; choose some: scoop tools starter, or add one: scoop tools add NAME",
        cut="aliases",
    )


@command.command()
@tool_argument
@console.as_json
@click.pass_obj
def show(config: Config, tool: str, as_json: bool) -> None:
    """Show a tool."""
    from scoop.store import tools

    found = runtime.run(_in_transaction(config, lambda conn: tools.get(conn, tool)))
    if as_json:
        console.print_json(found)
        return
    rows = [
        ("id", found.tool_id),
        ("name", found.name),
        ("vendor", found.vendor),
        ("status", found.status),
        ("categories", ", ".join(found.categories)),
        ("aliases", ", ".join(found.aliases)),
        ("context words", ", ".join(found.context_words)),
    ]
    console.print_table(("what", "value"), rows, empty="")


@command.command()
@click.argument("name")
@click.option("--slug", help="Made of the name if it is missing.")
@click.option("--vendor", default="", help="Who makes it.")
@click.option("--category", "categories", multiple=True, help="One to five; repeatable.")
@click.option("--alias", "aliases", multiple=True, help="Another name, taken literally; repeatable.")
@click.option(
    "--context",
    "context_words",
    multiple=True,
    help="A word near an ambiguous name that speaks for the tool; repeatable.",
)
@console.as_json
@click.pass_obj
def add(config: Config, /, name: str, slug: str | None, as_json: bool, **given: Any) -> None:
    """Add a tool, and look for it in the documents of the desk.

    \b
    Example:
      scoop tools add "Tussock" --category editor --alias "Tussock editor"
    """
    from scoop.actions import tools
    from scoop.core.tools import ToolSettings, slug_of

    given["categories"] = given["categories"] or ("other",)
    settings = ToolSettings(slug=slug or slug_of(name), name=name, **given)
    _change(config, lambda conn: tools.add(conn, settings), as_json=as_json)


@command.command()
@tool_argument
@click.option("--name", help="Its name.")
@click.option("--slug", help="Its slug.")
@click.option("--vendor", help="Who makes it.")
@click.option("--category", "categories", multiple=True, help="Replaces all categories; repeatable.")
@click.option("--alias", "aliases", multiple=True, help="Replaces all aliases; repeatable.")
@click.option("--context", "context_words", multiple=True, help="Replaces all context words; repeatable.")
@console.as_json
@click.pass_obj
def change(config: Config, /, tool: str, as_json: bool, **given: Any) -> None:
    """Change a tool; missing options keep their value."""
    from scoop.actions import tools
    from scoop.store import tools as store

    values = {name: value for name, value in given.items() if value not in (None, ())}

    async def act(conn: "Connection") -> "Tool":
        return await tools.change(conn, await store.get(conn, tool), values)

    _change(config, act, as_json=as_json)


@command.command()
@tool_argument
@console.as_json
@click.pass_obj
def archive(config: Config, tool: str, as_json: bool) -> None:
    """Stop counting a tool; what was counted stays."""
    _set_status(config, tool, "archived", as_json=as_json)


@command.command()
@tool_argument
@console.as_json
@click.pass_obj
def activate(config: Config, tool: str, as_json: bool) -> None:
    """Count an archived tool again."""
    _set_status(config, tool, "active", as_json=as_json)


def _set_status(config: Config, tool: str, status: str, *, as_json: bool) -> None:
    from scoop.actions import tools
    from scoop.store import tools as store

    async def act(conn: "Connection") -> "Tool":
        return await tools.change(conn, await store.get(conn, tool), {"status": status})

    _change(config, act, as_json=as_json)


@command.command()
@tool_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def remove(config: Config, tool: str, yes: bool) -> None:
    """Delete a tool with its mentions; archive it to keep them."""
    from scoop.actions import tools
    from scoop.store import tools as store

    if not yes:
        click.confirm(f"Delete {tool} with all its mentions?", abort=True)

    async def act(conn: "Connection") -> None:
        await tools.remove(conn, await store.get(conn, tool))

    runtime.run(_in_transaction(config, act))
    click.echo(f"{tool} deleted")


@command.command()
@tool_argument
@click.option("--add", "added", multiple=True, metavar="ALIAS", help="Add an alias; repeatable.")
@click.option("--remove", "removed", multiple=True, metavar="ALIAS", help="Remove an alias; repeatable.")
@console.as_json
@click.pass_obj
def aliases(config: Config, tool: str, added: tuple[str, ...], removed: tuple[str, ...], as_json: bool) -> None:
    """Add and remove aliases of a tool.

    \b
    Example:
      scoop tools aliases tussock --add "Tussock editor" --remove tsk
    """
    from scoop.actions import tools
    from scoop.store import tools as store

    async def act(conn: "Connection") -> "Tool":
        found = await store.get(conn, tool)
        for alias in removed:
            found = await tools.remove_alias(conn, found, alias)
        return await tools.add_aliases(conn, found, added) if added else found

    _change(config, act, as_json=as_json)


@command.command()
@tool_argument
@click.argument("into")
@console.as_json
@click.pass_obj
def merge(config: Config, tool: str, into: str, as_json: bool) -> None:
    """Let the mentions of TOOL count for INTO."""
    from scoop.actions import tools
    from scoop.store import tools as store

    async def act(conn: "Connection") -> "Tool":
        return await tools.merge(conn, await store.get(conn, tool), await store.get(conn, into))

    _change(config, act, as_json=as_json)


@command.command()
@tool_argument
@console.as_json
@click.pass_obj
def unmerge(config: Config, tool: str, as_json: bool) -> None:
    """Undo the merge of a tool."""
    from scoop.actions import tools
    from scoop.store import tools as store

    async def act(conn: "Connection") -> "Tool":
        return await tools.undo_merge(conn, await store.get(conn, tool))

    _change(config, act, as_json=as_json)


@command.command()
@click.argument("tool", required=False)
@console.as_json
@click.pass_obj
def audit(config: Config, tool: str | None, as_json: bool) -> None:
    """List the changes of a tool or of all, the newest first; --json has the tool before and after each.

    Deleted tools are found, too.
    """
    from scoop.core import tools as core
    from scoop.store import tools

    async def read(conn: "Connection") -> Any:
        tool_id = None if tool is None else await tools.find_audited(conn, tool)
        return await tools.list_audit(conn, tool_id, limit=MANY)

    changes = runtime.run(_in_transaction(config, read))
    if as_json:
        console.print_json(changes)
        return
    rows = [
        (
            each.changed_at,
            (each.after or each.before or {}).get("slug", ""),
            each.action,
            "; ".join(core.differences(each.before, each.after)),
            each.changed_by or "command line",
        )
        for each in changes
    ]
    console.print_table(("when", "tool", "change", "what", "by"), rows, empty="nothing has changed", cut="what")


@command.command()
@console.as_json
@click.pass_obj
def candidates(config: Config, as_json: bool) -> None:
    """List names that look like tools: at least 50 mentions in seven days."""
    from scoop.store import tools

    found = runtime.run(_in_transaction(config, lambda conn: tools.list_candidates(conn, now=datetime.now(UTC))))
    if as_json:
        console.print_json(found)
        return
    console.print_table(
        ("name", "mentions", "documents", "last seen"),
        [(each.name, each.mentions, each.documents, each.last_seen_at) for each in found],
        empty="no name waits for a decision",
    )


@command.command()
@click.argument("name")
@console.as_json
@click.pass_obj
def approve(config: Config, name: str, as_json: bool) -> None:
    """Make a tool of a candidate."""
    from scoop.actions import tools

    _change(config, lambda conn: tools.approve(conn, name), as_json=as_json)


@command.command()
@click.argument("name")
@click.pass_obj
def reject(config: Config, name: str) -> None:
    """Never propose a name again."""
    from scoop.actions import tools

    click.echo(f"{runtime.run(_in_transaction(config, lambda conn: tools.reject(conn, name)))} rejected")


@command.command()
@console.as_json
def starter(as_json: bool) -> None:
    """List the developer tools that ship with Scoop; none is followed until you choose it."""
    from scoop.core import tool_lists

    listed = [each.settings for each in tool_lists.starter()]
    if as_json:
        console.print_json(listed)
        return
    rows = [(tool.slug, tool.name, ", ".join(tool.categories), ", ".join(tool.aliases)) for tool in listed]
    console.print_table(("tool", "name", "categories", "aliases"), rows, empty="", cut="aliases")


@command.command()
@click.argument("slugs", nargs=-1, required=True)
@click.pass_obj
def choose(config: Config, slugs: tuple[str, ...]) -> None:
    """Follow tools of the starter list.

    \b
    Example:
      scoop tools choose docker kubernetes postgresql
    """
    from scoop.actions import tools

    chosen = runtime.run(_in_transaction(config, lambda conn: tools.choose(conn, slugs)))
    click.echo(f"{len(chosen)} added: {', '.join(tool.slug for tool in chosen) or 'the desk had them all'}")


@command.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.pass_obj
def import_list(config: Config, file: Path) -> None:
    """Add or change the tools of a TOML or CSV file, as `scoop tools export` writes it."""
    from scoop.actions import tools
    from scoop.core import tool_lists
    from scoop.errors import InputError

    try:
        listed = tool_lists.read(file.read_text("utf-8"), "csv" if file.suffix == ".csv" else "toml")
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not UTF-8") from error
    done = runtime.run(_in_transaction(config, lambda conn: tools.put_all(conn, listed)))
    click.echo(f"{len(done)} tools imported")


@command.command()
@click.option("--format", "form", type=click.Choice(["toml", "csv"]), default="toml", help="The format.")
@click.pass_obj
def export(config: Config, form: Any) -> None:
    """Print all tools as TOML or CSV.

    \b
    Example:
      scoop tools export > tools.toml
    """
    from scoop.core import tool_lists
    from scoop.store import tools

    listed: Sequence[Tool] = runtime.run(_in_transaction(config, tools.list_tools))
    click.echo(tool_lists.write(tool_lists.listed(listed), form), nl=False)


@command.command()
@click.argument("tool", required=False)
@click.option("--rescore", is_flag=True, help="Also score mentions that have a score.")
@console.as_json
@click.pass_obj
def reanalyze(config: Config, tool: str | None, rescore: bool, as_json: bool) -> None:
    """Look for a tool, or for all tools in all documents, again; a worker does it.

    \b
    Example:
      scoop tools reanalyze tussock --rescore
    """
    from scoop.actions import tools
    from scoop.store import tools as store

    async def act(conn: "Connection") -> int:
        found = None if tool is None else await store.get(conn, tool)
        return await tools.reanalyse(conn, found, rescores=rescore)

    job_id = runtime.run(_in_transaction(config, act))
    if as_json:
        console.print_json({"job_id": job_id})
    else:
        click.echo(f"re-analysis {job_id} is queued; scoop tools jobs shows its progress")


@command.command()
@console.as_json
@click.pass_obj
def jobs(config: Config, as_json: bool) -> None:
    """List re-analyses with their progress, the newest first."""
    from scoop.actions import tool_reports
    from scoop.store import sentiment_jobs

    found = runtime.run(_in_transaction(config, lambda conn: sentiment_jobs.list_jobs(conn, limit=MANY)))
    reports = [tool_reports.job_report(job, now=datetime.now(UTC)) for job in found]
    if as_json:
        console.print_json(reports)
        return
    rows = [
        (
            each.job_id,
            each.tool_slug or "all",
            each.status,
            each.reason,
            f"{each.progress:.0%}",
            each.processed_documents,
            each.mentions,
            each.eta,
            each.error,
        )
        for each in reports
    ]
    console.print_table(
        ("job", "tool", "status", "reason", "done", "documents", "mentions", "ends at", "error"),
        rows,
        empty="there was no re-analysis",
    )


@command.command()
@click.argument("job", type=console.ID)
@click.pass_obj
def cancel(config: Config, job: int) -> None:
    """Cancel a re-analysis; what it has done stays."""
    from scoop.store import sentiment_jobs

    runtime.run(_in_transaction(config, lambda conn: sentiment_jobs.cancel(conn, job)))
    click.echo(f"re-analysis {job} cancelled")
