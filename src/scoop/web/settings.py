"""The settings page: the configuration and the health of the installation, for admins."""

import platform
import re
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any

from fastapi import Response

from scoop import __version__, config, plugins, task_settings
from scoop.app import open_archive
from scoop.config import Config
from scoop.core import text
from scoop.errors import ScoopError
from scoop.http import routes
from scoop.http.deps import CurrentDesk, Desk
from scoop.http.routes import needs
from scoop.plugins import PluginSetting
from scoop.store import alerts, db, migrations, work
from scoop.task_settings import TaskSetting
from scoop.web import pages
from scoop.web.context import PageContext

router = routes.for_pages()

SHOWN_ALERTS = 20
NOT_SET = "not set"
_CREDENTIALS = re.compile(r"//.*@", re.DOTALL)  # greedy: a password may hold an @


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingRow:
    """A setting with its current value; of a secret only whether it is set."""

    name: str
    variable: str
    value: str
    is_default: bool
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskHealth:
    """Versions, database, archive, and the problems that an operator should look at."""

    facts: dict[str, str]
    is_current: bool
    failed: int
    quarantined: int
    alerts: list[alerts.Alert]


@router.get("/settings")
@needs("read")
async def settings_page(desk: CurrentDesk, context: PageContext) -> Response:
    is_admin = context.may("admin")
    return pages.page(
        "settings.html",
        context,
        settings=list_settings(desk.config) if is_admin else [],
        health=await _health(desk) if is_admin else None,
        plain=text.one_line,
    )


def list_settings(settings: Config) -> list[SettingRow]:
    """Every setting, without secrets."""
    own = [
        _describe(setting, getattr(settings, setting.name))
        for setting in fields(Config)
        if setting.name not in {"plugins", "tasks"}
    ]
    tasks = [_describe_task(each) for each in task_settings.list_settings(settings.tasks) if each.is_notable]
    return [*own, *tasks] + [
        _describe_plugin(setting) for setting in plugins.list_settings(settings.plugins) if setting.is_notable
    ]


def _describe_task(setting: TaskSetting) -> SettingRow:
    return SettingRow(
        name=setting.name,
        variable=setting.variable,
        value=_show(setting.value),
        is_default=setting.is_default,
        about=setting.about,
    )


def _describe_plugin(setting: PluginSetting) -> SettingRow:
    value, is_secret = setting.value, setting.option.is_secret
    return SettingRow(
        name=setting.name,
        variable=setting.variable,
        value=_show_secret(value) if is_secret else _show(value),
        is_default=value is None,
        about=setting.option.about,
    )


def _describe(setting: Field[Any], value: Any) -> SettingRow:
    default = setting.default_factory() if setting.default_factory is not MISSING else setting.default
    name = "SCOOP_SECRET_NAME" if setting.name == "named_secrets" else config.variable(setting)
    return SettingRow(
        name=setting.name,
        variable="" if setting.name in {"sources", "topics"} else name,
        value=_show_secret(value) if config.is_secret(setting) else _show(value),
        is_default=value == default,
        about=setting.metadata["about"],
    )


def _show_secret(value: Any) -> str:
    if isinstance(value, tuple):  # pairs of name and secret
        return ", ".join(name for name, _ in value) or NOT_SET
    return "set" if value else NOT_SET


def _show(value: Any) -> str:
    if isinstance(value, tuple):
        return f"{len(value)} in the file" if value else "none in the file"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _redact(str(value)) if value not in {None, ""} else "-"


def _redact(value: str) -> str:
    """A URL without user, password and query, which may hold keys."""
    return _CREDENTIALS.sub("//", value).partition("?")[0] if "://" in value else value


async def _health(desk: Desk) -> DeskHealth:
    async with desk.reading() as conn:
        about = await db.get_server_info(conn)
        counts = await work.counts(conn)
        facts = {
            "Scoop": __version__,
            "Python": platform.python_version(),
            "PostgreSQL": about["postgresql"],
            "pgvector": about["pgvector"],
            "Database": f"{about['database']}, {about['size']}",
            "Archive": _archive(desk.config),
        }
        return DeskHealth(
            facts=facts,
            is_current=await migrations.is_current(conn),
            failed=sum(count.failed for count in counts if count.state == "waiting"),
            quarantined=sum(count.count for count in counts if count.state == "quarantined"),
            alerts=await alerts.latest(conn, with_resolved=False, limit=SHOWN_ALERTS),
        )


def _archive(settings: Config) -> str:
    try:
        return open_archive(settings).place
    except ScoopError as error:
        return str(error)
