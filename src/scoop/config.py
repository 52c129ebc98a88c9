"""Settings: `scoop.toml` and `SCOOP_*` become one frozen Config. The only reader of the environment."""

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

import platformdirs

from scoop.errors import ConfigError

ROOT_HOME = Path("/var/lib/scoop")  # the server runs as another user then, who cannot pass through a root home
CONFIG_FILE = "scoop.toml"


def _default_home() -> Path:
    return ROOT_HOME if os.geteuid() == 0 else Path(platformdirs.user_data_dir("scoop", appauthor=False))


def _setting(default: Any = MISSING, *, factory: Any = MISSING, about: str) -> Any:
    if factory is not MISSING:
        return field(default_factory=factory, metadata={"about": about})
    return field(default=default, metadata={"about": about})


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Every setting with its one default. `home` is SCOOP_HOME in the environment, and so on."""

    home: Path = _setting(
        factory=_default_home, about="Where the embedded database and Scoop's files live (as root: /var/lib/scoop)."
    )
    database_url: str | None = _setting(
        None, about="A PostgreSQL 15+ with pgvector to use instead of the embedded one, as postgresql://user@host/name."
    )
    host: str = _setting("127.0.0.1", about="The address the web page is served on.")
    hostnames: str = _setting("", about="Further names the page answers to, separated by commas, as news.example.org.")
    port: int = _setting(8787, about="The port the web page is served on.")
    newsstand_port: int = _setting(8788, about="The port of the demo's newsstand on the loopback address.")
    processes: int = _setting(2, about="How many worker processes `scoop up` and `scoop worker` run.")
    timezone: str = _setting("UTC", about="The timezone of days on the page and in the terminal.")
    log_level: str = _setting("info", about="What is logged: debug, info, warning or error.")
    log_format: str = _setting("auto", about="How it is logged: text, json, or auto (text on a terminal, else json).")
    fault: str | None = _setting(None, about="For tests of crash safety: point:action:hit, as normalize.saved:kill:1.")


def load(environ: Mapping[str, str], folder: Path) -> Config:
    """Read the settings: the environment wins over the file, the file over the defaults."""
    given = _from_file(environ, folder)
    known = {setting.name for setting in fields(Config)}
    for name, text in environ.items():
        if name.startswith("SCOOP_") and (key := name.removeprefix("SCOOP_").lower()) in known:
            given[key] = text
    return _checked(given)


def _from_file(environ: Mapping[str, str], folder: Path) -> dict[str, Any]:
    named = environ.get("SCOOP_CONFIG")
    path = Path(named) if named else folder / CONFIG_FILE
    if not named and not path.exists():
        return {}
    try:
        found = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(
            f"cannot read {path}: {(error.strerror or '').lower()}; SCOOP_CONFIG names the file"
        ) from error
    except RecursionError as error:
        raise ConfigError(f"{path} is not TOML: it is nested too deeply") from error
    except ValueError as error:  # no TOML, no UTF-8, or a number of too many digits
        raise ConfigError(f"{path} is not TOML: {error}") from error
    known = [setting.name for setting in fields(Config)]
    for key in found:
        if key not in known:
            raise ConfigError(f"{path}: there is no setting {key!r}; there are {', '.join(known)}")
    return found


def _checked(given: dict[str, Any]) -> Config:
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name in {"port", "newsstand_port", "processes"}:
            values[name] = _whole_number(name, value)
        elif name == "home":
            values[name] = _home(str(value)) if value != "" else None
        else:
            values[name] = str(value) if value != "" else None
    config = Config(**{name: value for name, value in values.items() if value is not None})
    _check(config)
    return config


def _home(value: str) -> Path:
    if "\0" in value:
        raise ConfigError(f"{_named('home')} holds a NUL character, which no path can")
    try:
        return Path(value).expanduser().absolute()
    except (ValueError, RuntimeError, OSError) as error:
        raise ConfigError(f"{_named('home')} is {value!r}, which is no folder: {error}") from error


def _whole_number(name: str, value: Any) -> int:
    low, high = (1, 64) if name == "processes" else (0, 65535)
    if not re.fullmatch(r"\d{1,5}", str(value)) or not low <= int(value) <= high:
        raise ConfigError(f"{_named(name)} is {str(value)!r}; it must be a whole number from {low} to {high}")
    return int(value)


def _check(config: Config) -> None:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    choices = {"log_level": ("debug", "info", "warning", "error"), "log_format": ("text", "json", "auto")}
    for name, allowed in choices.items():
        if getattr(config, name) not in allowed:
            raise ConfigError(f"{_named(name)} is {getattr(config, name)!r}; it must be one of {', '.join(allowed)}")
    try:
        ZoneInfo(config.timezone)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ConfigError(
            f"{_named('timezone')} is {config.timezone!r}; it must be a name such as Europe/Berlin"
        ) from error


def _named(name: str) -> str:
    return f"the setting {name} (SCOOP_{name.upper()})"
