"""The reference pages, made from the program itself.

python docs/generate.py             write them
python docs/generate.py --check     exit 1 and name what differs
"""

import argparse
import asyncio
import inspect
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from scoop import asgi, cli, options, plugin_settings, plugins
from scoop.api import document
from scoop.config import CONFIG_FILE, Config, variable
from scoop.core import access, items
from scoop.core.plugin_types import Access
from scoop.plugin_settings import KINDS, OLD_NAMES, Kind
from scoop.store import db, migrations
from scoop.store.db import Connection
from scoop.store.embedded import EmbeddedServer

REFERENCE = Path(__file__).parent / "reference"
MARK = "<!-- Made by docs/generate.py; `make fmt` makes it anew. -->"
VERBATIM = "\b"  # click keeps the lines of a paragraph that begins with it

HOME_DEFAULT = "the user's data folder: `~/.local/share/scoop`, on macOS `~/Library/Application Support/scoop`"

TABLES = """
    SELECT oid, relname AS name, obj_description(oid, 'pg_class') AS about FROM pg_class
    WHERE relnamespace = 'news'::regnamespace AND relkind IN ('r', 'v') ORDER BY relkind, relname COLLATE "C"
"""
COLUMNS = """
    SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS is_required,
        a.attidentity::text <> '' AS is_identity, a.attgenerated::text <> '' AS is_generated,
        pg_get_expr(d.adbin, d.adrelid) AS default, col_description(a.attrelid, a.attnum) AS about
    FROM pg_attribute AS a LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
CONSTRAINTS = """
    SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint
    WHERE conrelid = $1 AND contype IN ('p', 'u', 'f', 'c')
    ORDER BY array_position('{p,u,f,c}', contype), conname COLLATE "C"
"""
INDEXES = """
    SELECT pg_get_indexdef(i.oid) AS text FROM pg_index AS x JOIN pg_class AS i ON i.oid = x.indexrelid
    WHERE x.indrelid = $1 AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.oid AND contype IN ('p', 'u'))
    ORDER BY i.relname COLLATE "C"
"""
TRIGGERS = """
    SELECT pg_get_triggerdef(oid) AS text FROM pg_trigger
    WHERE tgrelid = $1 AND NOT tgisinternal ORDER BY tgname COLLATE "C"
"""
ENUMS = """
    SELECT t.typname AS name, array_agg(e.enumlabel::text ORDER BY e.enumsortorder) AS labels
    FROM pg_type AS t JOIN pg_enum AS e ON e.enumtypid = t.oid
    WHERE t.typnamespace = 'news'::regnamespace GROUP BY t.typname ORDER BY t.typname COLLATE "C"
"""


def pages(schema: str) -> dict[Path, str]:
    """Every reference page by its path; `schema` is the one that needs a database to be made."""
    kinds = {kind.name: kind_page(kind) for kind in KINDS}
    made = {"cli": cli_page(), "settings": settings_page(), "item": item_page(), "routes": routes_page(), **kinds}
    return {REFERENCE / f"{name}.md": text for name, text in (made | {"schema": schema}).items()}


def differing(wanted: Mapping[Path, str]) -> list[Path]:
    """The pages that are not as they should be, and those that nothing makes any more."""
    changed = [path for path, text in wanted.items() if not path.exists() or path.read_text("utf-8") != text]
    return sorted(changed) + sorted(set(REFERENCE.glob("*.md")) - wanted.keys())


# The command line


def cli_page() -> str:
    root = click.Context(cli.scoop, info_name="scoop")
    parts = [page_head("The command line", "Every command with its options. `-h` and `--help` show the same.")]
    for name, command, _ in walk(cli.scoop, root):
        parts.append(f"## {name}\n\n{_command(name, command)}")
    return "\n\n".join(parts) + "\n"


def walk(command: click.Command, ctx: click.Context) -> Iterator[tuple[str, click.Command, click.Context]]:
    """The command and all below it, each with the name it is called by."""
    yield ctx.command_path, command, ctx
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            below = command.get_command(ctx, name)
            if below is not None and not below.hidden:
                yield from walk(below, click.Context(below, info_name=name, parent=ctx))


def _command(name: str, command: click.Command) -> str:
    ctx = click.Context(command, info_name=name)
    usage = " ".join([name, *command.collect_usage_pieces(ctx)])
    return "\n\n".join([f"```text\n{usage}\n```", _help(command), _options(command, ctx)]).rstrip()


def _help(command: click.Command) -> str:
    """The help text, with what click keeps line by line as a block."""
    return "\n\n".join(map(_paragraph, help_paragraphs(command)))


def help_paragraphs(command: click.Command) -> list[str]:
    return inspect.cleandoc(command.help or "").split("\n\n")


def _paragraph(text: str) -> str:
    if not text.startswith(VERBATIM):
        return " ".join(text.split())
    lines = text.removeprefix(VERBATIM).strip("\n").split("\n")
    if not lines[0].endswith(":"):
        return _block(lines)
    return f"{lines[0].strip()}\n\n{_block(lines[1:])}"


def _block(lines: list[str]) -> str:
    return "```text\n" + inspect.cleandoc("\n".join(lines)) + "\n```"


def _options(command: click.Command, ctx: click.Context) -> str:
    rows = [
        (_option_name(option, ctx), _option_about(option))
        for option in command.get_params(ctx)
        if isinstance(option, click.Option) and not option.hidden and "--help" not in option.opts
    ]
    return table(("option", "meaning"), rows)


def _option_name(option: click.Option, ctx: click.Context) -> str:
    names = ", ".join([*option.opts, *option.secondary_opts])
    if option.is_flag:
        return code(names)
    values = {click.IntRange: "N", click.DateTime: "DATE"}
    return code(f"{names} {values.get(type(option.type)) or option.make_metavar(ctx)}")


def _option_about(option: click.Option) -> str:
    limits = option.type if isinstance(option.type, click.IntRange) else click.IntRange()
    parts = [
        option.help or "",
        f"From {limits.min:,} to {limits.max:,}." if limits.max is not None else "",
        f"Default: {code(option.default)}." if option.show_default else "",
        "Required." if option.required else "",
    ]
    return " ".join(filter(None, parts))


# Settings


def settings_page() -> str:
    about = (
        f"A setting comes from its variable, else from `{CONFIG_FILE}` in the current folder (or from the file that "
        "`SCOOP_CONFIG` names), else from its default. An empty variable is the default. A key that the file has and "
        "this page has not is an error (exit code 3). Secrets of this first table are never read from the file: set "
        "their variable, or the variable with `_FILE` at its end to a file that holds the value."
    )
    rows = [
        (code(setting.name), _variable(setting), _default(setting), setting.metadata["about"])
        for setting in fields(Config)
    ]
    listed = table(("setting", "variable", "default", "about"), rows)
    example = '```toml\n# scoop.toml\nport = 9000\ntimezone = "Europe/Berlin"\n```'
    return "\n\n".join([page_head("Settings", about), listed, example, _plugin_settings()]) + "\n"


def _plugin_settings() -> str:
    about = (
        "Every plugin has a section of its own: the option `api_key` of `[sources.tavily]` is also the variable "
        "`SCOOP_SOURCES_TAVILY_API_KEY`. With `_file` at the end of the option, or `_FILE` at the end of the variable, "
        "the setting names a file that holds the value. What a section says holds for every source or channel of that "
        "kind that does not say otherwise. All options of all plugins can be set so; the pages of "
        "[sources](sources.md), [channels](channels.md) and [embedders](embedders.md) list them. These are secrets, "
        "which can be set in no other way, and settings that had another name before. An old name goes on working, and "
        "prints what replaces it."
    )
    old_names = {".".join(place): name for name, place in OLD_NAMES.items()}
    rows = [
        (
            code(f"[{each.kind}.{each.plugin}] {each.option.name}"),
            code(each.variable),
            _old_name(old_names.get(each.name)),
            each.option.about,
        )
        for each in plugins.list_settings()
        if each.option.is_secret or each.name in old_names
    ]
    listed = table(("setting", "variable", "old name", "about"), rows)
    example = '```toml\n# scoop.toml\n[sources.tavily]\napi_key_file = "/run/secrets/tavily"\n```'
    return f"## Settings of plugins\n\n{about}\n\n{listed}\n\n{example}"


def _old_name(name: str | None) -> str:
    return f"{code(name)}, {code(f'SCOOP_{name.upper()}')}" if name else ""


def _variable(setting: Field[Any]) -> str:
    special = {
        "sources": "only in the file",
        "topics": "only in the file",
        "named_secrets": "`SCOOP_SECRET_…`",
        "plugins": "one for each option",
    }
    return special.get(setting.name) or code(variable(setting))


def _default(setting: Field[Any]) -> str:
    if setting.name == "home":
        return HOME_DEFAULT
    if setting.default is MISSING or setting.default is None:
        return "none"
    return code(setting.default) if setting.default not in ("", ()) else "none"


# The canonical item


def item_page() -> str:
    schema = json.loads(items.schema_text())
    metadata = schema["properties"]["source_metadata"]
    about = f"{schema['description']} No other key is allowed at the top. `scoop schema item` prints the JSON Schema."
    return "\n\n".join(
        [
            page_head("The canonical item, version 1", about),
            _fields(schema),
            "## source_metadata",
            f"{metadata['description']} Any other key is kept as it is.",
            _fields(metadata) + "\n",
        ]
    )


def _fields(schema: dict[str, Any]) -> str:
    rows = [
        (code(name), "yes" if name in schema["required"] else "", _shape(field), field["description"])
        for name, field in schema["properties"].items()
    ]
    return table(("field", "required", "shape", "about"), rows)


def _shape(field: Mapping[str, Any]) -> str:
    """What a value must be, in words."""
    if "const" in field:
        return code(json.dumps(field["const"]))
    if field["type"] == "array":
        return f"at most {field['maxItems']:,} of: {_shape(field['items'])}"
    low, high = field.get("minLength"), field.get("maxLength")
    size = f"{low:,} to {high:,} characters" if low and high else f"at most {high:,} characters" if high else ""
    default = f"default {code(field['default'])}" if "default" in field else ""
    return ", ".join(filter(None, [field.get("format", field["type"]), size, default]))


# Plugins


ACCESS = {
    "editor": "editors and admins",
    "admin": "admins",
    "cli": "the operator only, on the command line or in the settings",
}


def kind_page(kind: Kind) -> str:
    """The reference page of a kind of plugin: every plugin that is found, with its options."""
    about = (
        f"One file in `src/scoop/{kind.name}` is one {kind.noun} plugin; other packages add theirs by an entry point "
        f"of the group `{kind.package}`. The operator can set any option in the section `[{kind.name}.NAME]` of "
        f"`{CONFIG_FILE}`, or by its variable."
    )
    found = sorted(plugins.discover(import_module(kind.package)).items())
    return (
        "\n\n".join([page_head(kind.name.capitalize(), about), *(plugin_section(kind, *each) for each in found)]) + "\n"
    )


def plugin_section(kind: Kind, name: str, plugin: type[Any]) -> str:
    """One plugin: its docstring, who may set it up, and its options."""
    facts = [f"Set up by: {ACCESS[plugin.access]}."]
    if getattr(plugin, "targets", None):
        facts.append(f"Added by pasting: {', '.join(map(code, plugin.targets.values()))}.")
    if plugin.base_url:
        facts.append(f"Its address: {code(plugin.base_url)}.")
    described = options.describe(plugin.Options).values()
    rows = [
        (
            code(option.name),
            option.words,
            _option_default(option),
            _option_meaning(option, plugin.access),
            code(plugin_settings.variable(kind.name, name, option.name)),
        )
        for option in described
    ]
    docstring = inspect.getdoc(plugin) or ""
    return "\n\n".join(
        filter(
            None,
            [
                f"## {name}",
                docstring,
                " ".join(facts),
                table(("option", "value", "default", "meaning", "variable"), rows),
            ],
        )
    )


def _option_meaning(option: options.Option, access: Access) -> str:
    about = option.about[:1].upper() + option.about[1:]
    return about if option.access in {access, "editor"} else f"{about} Set by: {ACCESS[option.access]}."


def _option_default(option: options.Option) -> str:
    if option.default in (None, "", ()):
        return "none"
    return code(("yes" if option.default else "no") if isinstance(option.default, bool) else option.default)


# The routes


def routes_page() -> str:
    about = (
        "Every address that the server answers, the right that its callers need, and which roles have it. A key has "
        "at most the rights of its owner, and of those only the scopes it was made with. What is asked and answered "
        "is told by `/api` on a running server."
    )
    rows = table(("route", "right", *access.ROLES), _routes())
    return "\n\n".join([page_head("Routes and roles", about), rows]) + "\n"


def _routes() -> list[tuple[str, ...]]:
    app = asgi.create_app(Config(), None, clock=lambda: datetime.now(UTC))  # type: ignore[arg-type]  # never asked
    calls = sorted((route.path, method, route.right) for route in document.guarded(app) for method in route.methods)
    return [
        (code(f"{method} {path}"), right or "none", *("yes" if _may(role, right) else "" for role in access.ROLES))
        for path, method, right in calls
    ]


def _may(role: access.Role, right: access.Right | None) -> bool:
    return right is None or right in access.RIGHTS_BY_ROLE[role]


# The schema


async def schema_page(conn: Connection) -> str:
    """The tables of a migrated database."""
    about = (
        "Read from a migrated database: the schema `news`. Its history is in `src/scoop/store/migrations`; why it is "
        "as it is: [the corrected schema](../design/corrected-schema.md)."
    )
    parts = [page_head("The schema", about)]
    for relation in await conn.fetch(TABLES):
        oid = relation["oid"]
        parts += [f"## {relation['name']}", relation["about"] or ""]
        parts += [await _columns(conn, oid), await _definitions(conn, oid)]
    enums = [(code(enum["name"]), ", ".join(map(code, enum["labels"]))) for enum in await conn.fetch(ENUMS)]
    return "\n\n".join(filter(None, [*parts, "## Types", table(("type", "values"), enums)])) + "\n"


async def _columns(conn: Connection, oid: int) -> str:
    rows = [
        (code(column["name"]), column["type"], _presence(column), column["about"] or "")
        for column in await conn.fetch(COLUMNS, oid)
    ]
    return table(("column", "type", "value", "about"), rows)


def _presence(column: Mapping[str, Any]) -> str:
    if column["is_identity"]:
        return "identity"
    if column["is_generated"]:
        return f"generated: {code(column['default'])}"
    default = f"default {code(column['default'])}" if column["default"] else ""
    return default or ("required" if column["is_required"] else "")


async def _definitions(conn: Connection, oid: int) -> str:
    lines = [row["text"] for query in (CONSTRAINTS, INDEXES, TRIGGERS) for row in await conn.fetch(query, oid)]
    return "```sql\n" + "\n".join(lines) + "\n```" if lines else ""


def fresh_schema_page() -> str:
    """The schema page, of a database that is made for it and thrown away."""
    home = Path(tempfile.mkdtemp(prefix="scoop-docs-", dir="/tmp"))
    home.chmod(0o711)  # as root, the server runs as a user who must pass through
    try:
        return asyncio.run(_schema_page_of(EmbeddedServer(home)))
    finally:
        EmbeddedServer(home).stop()
        shutil.rmtree(home, ignore_errors=True)


async def _schema_page_of(server: EmbeddedServer) -> str:
    database = await db.connect(server, size=1)
    try:
        await migrations.migrate(database)
        async with database.connection() as conn:
            return await schema_page(conn)
    finally:
        await database.close()


# Markdown


def page_head(title: str, about: str) -> str:
    return f"{MARK}\n\n# {title}\n\n{about}"


def table(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    if not rows:
        return ""
    lines = [columns, ("---",) * len(columns), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def code(value: object) -> str:
    return f"`{value}`"


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the reference pages from the program.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 and name the pages that differ")
    is_check = parser.parse_args().check
    wanted = pages(fresh_schema_page())
    found = differing(wanted)
    for path in found:
        print(f"{'differs' if is_check else 'written'}: docs/reference/{path.name}", file=sys.stderr)
    if is_check:
        sys.exit(1 if found else 0)
    REFERENCE.mkdir(exist_ok=True)
    for path in found:
        if path in wanted:
            path.write_text(wanted[path], "utf-8")
        else:
            path.unlink()


if __name__ == "__main__":
    main()
