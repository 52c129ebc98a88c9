"""The page of the database schema, from a migrated database."""

import asyncio
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from generator.markdown import code, page_head, table
from scoop.store import db, migrations
from scoop.store.db import Connection
from scoop.store.embedded import EmbeddedServer

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
