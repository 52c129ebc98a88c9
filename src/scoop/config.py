"""Settings: `scoop.toml` and `SCOOP_*` become one frozen Config. The only reader of the environment."""

import importlib.util
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoop import plugin_settings, task_settings
from scoop.core import suggestions
from scoop.errors import ConfigError
from scoop.plugin_settings import FILE, OLD_NAMES, OLD_SECRETS, PREFIXES, PluginSettings, read_value, with_files
from scoop.task_settings import TaskSettings

if TYPE_CHECKING:
    from scoop.core.secrets import Secret
    from scoop.model import AlertLevel, DocumentsAhead, HandoverMode, LessonsAhead

ROOT_HOME = Path("/var/lib/scoop")  # the database runs as another user then, who cannot enter a root home
CONFIG_FILE = "scoop.toml"
AUTO_VOICE, BUILT_IN_VOICE, NO_VOICE = "auto", "hibari", "none"  # values of the setting `voice`
SPEECH_PROGRAM = "espeak-ng"  # of the voice `command`, unless another is set
SEE = "; see: scoop config show"
DEFAULT = "default"  # the origin of a setting that nobody changed
CONFIG_VARIABLE = "SCOOP_CONFIG"  # names another file
NAMED_SECRET = "SCOOP_SECRET_"  # noqa: S105 - the beginning of a variable's name
_SECTION_FIRST = re.compile(r"^\[sources\..*^\[\[sources\]\]", re.DOTALL | re.MULTILINE)
INTEGERS = {
    "port": (0, 65535),
    "newsstand_port": (0, 65535),
    "processes": (1, 64),
    "requests_per_minute": (0, 65535),
    "summary_min_publishers": (0, 1000),
    "lessons_per_day": (0, 100),
    "sentiment_alert_at": (0, 200),
}
"""The settings that are whole numbers, with the least and the greatest."""
FILE_ONLY = frozenset({"sources", "topics", "plugins", "tasks", "named_secrets"})
"""Settings without a variable of their own."""


def _default_home() -> Path:
    import platformdirs

    return ROOT_HOME if os.geteuid() == 0 else Path(platformdirs.user_data_dir("scoop", appauthor=False))


def _setting(default: Any = MISSING, *, factory: Any = MISSING, about: str, variable: str | None = None) -> Any:
    metadata = {"about": about, "variable": variable}
    if factory is not MISSING:
        return field(default_factory=factory, metadata=metadata)
    return field(default=default, metadata=metadata)


def _secret(about: str) -> Any:
    return field(default=None, repr=False, metadata={"about": about, "secret": True})


def variable(setting: Field[Any]) -> str:
    """The environment variable of a setting."""
    return setting.metadata.get("variable") or f"SCOOP_{setting.name.upper()}"


def is_secret(setting: Field[Any]) -> bool:
    """Whether a setting is never shown, and is read from the environment or a file of its own only."""
    return "secret" in setting.metadata


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Every setting with its one default. `home` is SCOOP_HOME in the environment, and so on."""

    home: Path = _setting(
        factory=_default_home, about="The folder of the embedded database and Scoop's files (as root: /var/lib/scoop)."
    )
    database_url: str | None = _setting(
        None, about="A PostgreSQL 15+ with pgvector to use instead of the embedded one, as postgresql://user@host/name."
    )
    host: str = _setting("127.0.0.1", about="The address the web page is served on.")
    hostnames: str = _setting("", about="Further names the page answers to, separated by commas, as news.example.org.")
    port: int = _setting(8787, about="The port the web page is served on.")
    public_reading: bool = _setting(False, about="Whether anybody may read without signing in: true or false.")
    trusted_proxies: str = _setting(
        "", about="Networks of reverse proxies whose X-Forwarded-For and -Proto are trusted, as 10.0.0.0/8, ::1."
    )
    requests_per_minute: int = _setting(
        600, about="Rate limit of one user, or one anonymous address, in requests a minute (0: no limit)."
    )
    oidc_issuer: str = _setting("", about="The OpenID Connect provider to sign in with, as https://id.example.org.")
    oidc_client_id: str = _setting("", about="Scoop's client id there; its callback is /sign-in/oidc/callback.")
    oidc_client_secret: str | None = _secret("Scoop's client secret at that provider.")
    oidc_role_claim: str = _setting("", about="The claim that lists a person's groups at that provider, as groups.")
    oidc_admin_group: str = _setting("", about="Members of this group become admins.")
    oidc_editor_group: str = _setting("", about="Members of this group become editors; all others are readers.")
    collection_order: str = _setting(
        "",
        about="Collections in the order of the front page, separated by commas, as world_news, ai_news (in the file "
        "also a list). The others follow, those with most events that several publishers report first.",
    )
    newsstand_port: int = _setting(8788, about="The port of the demo's newsstand on the loopback address.")
    processes: int = _setting(2, about="The number of worker processes of `scoop up` and `scoop worker`.")
    archive_url: str | None = _setting(
        None,
        about="The archive of pages and run logs: a folder, or s3://bucket/prefix?endpoint=https://... (default: "
        "archive in `home`).",
    )
    contact: str = _setting("", about="A URL or e-mail address of yours, sent to the sites in Scoop's User-Agent.")
    allow_private: str = _setting(
        "",
        about="Private hosts, host or host:port, separated by commas, that sources and channels may use if their own "
        "address names them. Links and redirects to private hosts are always refused.",
    )
    embedder: str = _setting("local", about="The embedder plugin: local (inside Scoop), or openai (a server).")
    voice: str = _setting(
        "auto",
        about="The voice plugin that reads lessons aloud: hibari (inside Scoop), command (a program), openai (a "
        "server), or none. auto: hibari where it is installed, else command if there is espeak-ng, else none.",
    )
    project_to: str = _setting(
        "", about="The projections, separated by commas: other stores that the desk's data is written to, as dynamodb."
    )
    listening_from: str = _setting(
        "",
        about="The projection, as cosmos, whose store the older listening API (/api/news, /api/user/settings) reads; "
        "it is in project_to, too. Empty: the database.",
    )
    sentiment_from: str = _setting(
        "",
        about="The projection, as cosmos, whose store the API reads cached sentiment from; it is in project_to, too. "
        "Empty: the database.",
    )
    archive_project: str = _setting(
        "", about="The value of the tag `project` of every object of an archive in S3, as summanow; empty: no tag."
    )
    archive_access_key_id: str | None = _secret("The key id of the archive's S3 store.")
    archive_secret_access_key: str | None = _secret("The secret key of that store.")
    sources: tuple[dict[str, Any], ...] = _setting(
        (), about="Sources to gather, each a `[[sources]]` table with the fields of `scoop sources add`."
    )
    topics: tuple[dict[str, Any], ...] = _setting(
        (), about="Topics of digests, each a `[[topics]]` table with the fields of `scoop topics add`, rules, channels."
    )
    np_mode: "HandoverMode" = _setting(
        "prod",
        variable="NP_MODE",
        about="The state of the move from an older system, unless a topic says otherwise: legacy (it posts, Scoop "
        "makes no digests), shadow (it posts, Scoop makes digests to compare) or prod (Scoop posts).",
    )
    np_publish_v2: bool = _setting(
        True, variable="NP_PUBLISH_V2", about="Whether Scoop posts its digests where the mode is prod: true or false."
    )
    np_write_raw_ledger: bool = _setting(
        True, variable="NP_WRITE_RAW_LEDGER", about="Whether sources are gathered into the ledger: true or false."
    )
    named_secrets: tuple[tuple[str, str], ...] = field(
        default=(),
        repr=False,
        metadata={
            "about": "Secrets that channels name: SCOOP_SECRET_AI_WEBHOOK is the secret `ai_webhook`.",
            "secret": True,
        },
    )
    plugins: PluginSettings = _setting(
        factory=PluginSettings, about="Options of plugins, in sections such as `[sources.tavily]`; see below."
    )
    tasks: dict[str, TaskSettings] = _setting(
        factory=lambda: dict(task_settings.DEFAULTS),
        about="Writers and budgets of tasks, in sections such as `[tasks.summary]`; see below.",
    )
    summary_language: str = _setting(
        "", about="The language of summaries, as ja or en; default: that of the article. Needs a writer with a model."
    )
    collection_languages: str = _setting(
        "", about="Languages of summaries by collection, where they differ, as china_news=zh, ai_news=en."
    )
    summary_min_publishers: int = _setting(
        2, about="Events that so many publishers report are summarised before anybody asks (1: all events, 0: none)."
    )
    summarize_documents: "DocumentsAhead" = _setting(
        "auto",
        about="New articles that are summarised before anybody asks: those of sites (kind site), all, none, or auto "
        "(all with the local writer, which costs nothing, else those of sites).",
    )
    lessons_per_day: int = _setting(
        10, about="New articles that the daily update chooses for learners, the best by digest score (0: none)."
    )
    lessons_ahead: "LessonsAhead" = _setting(
        "auto",
        about="The levels at which lessons of chosen articles are made before anybody asks: readers (those that "
        "learners have), all, none, or auto (all with the local writer, which costs nothing, else those of readers).",
    )
    listening_topics: str = _setting(
        "", about="The topics whose articles are chosen for learners, separated by commas; empty: all articles."
    )
    news_update_secret: str | None = _secret(
        "Programs may send it as X-Update-Secret to start the daily update, instead of an admin's key."
    )
    same_event_decides: bool = _setting(
        False,
        about="Whether answers of the task same_event decide about pairs of the review queue: true or false. Each such "
        "decision is marked and can be undone.",
    )
    alert_topic: str = _setting(
        "", about="The topic to whose channels alerts are posted, as operations; it may be disabled. Empty: none."
    )
    alert_level: "AlertLevel" = _setting(
        "warning", about="The least level of alerts that are posted there: critical, warning or info."
    )
    sentiment_alert_at: int = _setting(
        20,
        about="A tool whose average sentiment of a day is so many hundredths away from that of the week before raises "
        "an alert (0: none).",
    )
    timezone: str = _setting("UTC", about="The timezone of days on the page and in the terminal.")
    log_level: str = _setting("info", about="The least level that is logged: debug, info, warning or error.")
    log_format: str = _setting("auto", about="The log's format: text, json, or auto (text on a terminal, else json).")
    fault: str | None = _setting(None, about="For tests of crash safety: point:action:hit, as normalize.saved:kill:1.")

    def free_bytes(self) -> int:
        """The free space of the disk that `home` is on, or will be."""
        return shutil.disk_usage(next(folder for folder in (self.home, *self.home.parents) if folder.exists())).free

    @property
    def used_voice(self) -> str:
        """The voice that reads lessons aloud; with `auto` the first that this machine has."""
        if self.voice != AUTO_VOICE:
            return self.voice
        if importlib.util.find_spec(BUILT_IN_VOICE) is not None:
            return BUILT_IN_VOICE
        return "command" if shutil.which(SPEECH_PROGRAM) else NO_VOICE

    @property
    def secrets(self) -> "dict[str, Secret]":
        """The secrets that channels and webhooks name."""
        from scoop.core.secrets import Secret

        return {name: Secret(value, name=f"the secret {name}") for name, value in self.named_secrets}


def load(environ: Mapping[str, str], folder: Path) -> Config:
    """Read the settings: the environment wins over the file, the file over the defaults."""
    return load_with_origins(environ, folder)[0]


def load_with_origins(environ: Mapping[str, str], folder: Path) -> tuple[Config, dict[str, str]]:
    """The settings, and for each one that is not at its default the variable or file that it comes from."""
    path = file_path(environ, folder)
    values = _from_file(path, is_required=bool(environ.get(CONFIG_VARIABLE)))
    plugins = plugin_settings.take(environ, values)
    tasks = task_settings.take(environ, values)
    origins = dict.fromkeys(values, str(path))
    for setting in fields(Config):
        name = variable(setting)
        if setting.name in FILE_ONLY:
            continue
        if name in environ:
            values[setting.name], origins[setting.name] = environ[name], name
        elif is_secret(setting) and environ.get(f"{name}{FILE}"):
            values[setting.name] = read_value(f"{name}{FILE}", environ[f"{name}{FILE}"])
            origins[setting.name] = f"{name}{FILE}"
    named = with_files({name: value for name, value in environ.items() if name.startswith(NAMED_SECRET)})
    named_secrets = tuple((name.removeprefix(NAMED_SECRET).lower(), value) for name, value in named.items())
    origins |= {"named_secrets": f"{NAMED_SECRET}*"} if named_secrets else {}
    return replace(_checked(values), named_secrets=named_secrets, plugins=plugins, tasks=tasks), origins


def file_path(environ: Mapping[str, str], folder: Path) -> Path:
    """The settings file: the one that SCOOP_CONFIG names, else scoop.toml in the current folder."""
    return Path(environ.get(CONFIG_VARIABLE) or folder / CONFIG_FILE)


def unknown_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """The SCOOP_* variables that no setting has, each with a warning that names the nearest one that there is.

    Variables of plugins are checked when plugins are loaded, see `plugins.unknown_variables`.
    """
    known = {CONFIG_VARIABLE, *(f"SCOOP_{name.upper()}{end}" for name in OLD_NAMES for end in ("", FILE))}
    for setting in fields(Config):
        known |= {variable(setting), f"{variable(setting)}{FILE}"} if is_secret(setting) else {variable(setting)}
    unknown = [name for name in environ if name.startswith("SCOOP_") and name not in known]
    return {
        name: f"{name} is not a setting and has no effect{suggestions.question(name, known) or SEE}"
        for name in unknown
        if not name.startswith((NAMED_SECRET, *PREFIXES, task_settings.PREFIX))
    } | task_settings.unknown_variables(environ)


def _from_file(path: Path, *, is_required: bool) -> dict[str, Any]:
    if not is_required and not path.exists():
        return {}
    values = _parse(path)
    own = [setting.name for setting in fields(Config) if setting.name != "plugins"]
    known = dict.fromkeys([*own, *(kind.name for kind in plugin_settings.KINDS)])
    for key in values:
        if key not in known and key not in OLD_NAMES:
            question = suggestions.question(key, known)
            raise ConfigError(f"{path}: there is no setting {key!r}{question or SEE}")
    for name, secret in _secret_variables().items():
        if name in values:
            raise ConfigError(f"{path}: {name} is a secret; set {secret}, or {secret}{FILE} to a file with it")
    return values


def _parse(path: Path) -> dict[str, Any]:
    import tomllib

    text = ""
    try:
        text = path.read_text("utf-8")
        return tomllib.loads(text)
    except OSError as error:
        raise ConfigError(
            f"cannot read {path}: {(error.strerror or '').lower()}; SCOOP_CONFIG names the file"
        ) from error
    except RecursionError as error:
        raise ConfigError(f"{path} is not TOML: it is nested too deeply") from error
    except ValueError as error:  # not TOML, not UTF-8, or a number of too many digits
        hint = "; write [[sources]] before [sources.NAME]" if _SECTION_FIRST.search(text) else ""
        raise ConfigError(f"{path} is not TOML: {error}{hint}") from error


def _secret_variables() -> dict[str, str]:
    """The variable of each secret that the file must not have at its top level."""
    own = {setting.name: variable(setting) for setting in fields(Config) if is_secret(setting)}
    old = {name: plugin_settings.variable(*OLD_NAMES[name]) for name in OLD_SECRETS}
    return own | old | {"named_secrets": f"{NAMED_SECRET}NAME"}


def _checked(raw: dict[str, Any]) -> Config:
    values: dict[str, Any] = {}
    for name, value in raw.items():
        if name in INTEGERS:
            values[name] = _integer(name, value)
        elif name == "home":
            values[name] = _home(str(value)) if value != "" else None
        elif name in {"sources", "topics"}:
            values[name] = _tables(name, value)
        elif name in {"collection_order", "project_to", "listening_topics"} and isinstance(value, list):
            values[name] = ", ".join(map(str, value))
        elif name == "collection_languages" and isinstance(value, dict):
            values[name] = ", ".join(f"{collection}={language}" for collection, language in value.items())
        elif name in {"np_publish_v2", "np_write_raw_ledger", "public_reading", "same_event_decides"}:
            values[name] = _boolean(name, value) if value != "" else None
        else:
            values[name] = str(value) if value != "" else None
    config = Config(**{name: value for name, value in values.items() if value is not None})
    _check(config)
    return config


def _home(value: str) -> Path:
    if "\0" in value:
        raise ConfigError(f"{_title('home')} contains a NUL character")
    try:
        return Path(value).expanduser().absolute()
    except (ValueError, RuntimeError, OSError) as error:
        raise ConfigError(f"{_title('home')} is {value!r}, which is not a folder: {error}") from error


def _tables(name: str, value: Any) -> tuple[dict[str, Any], ...]:
    if not isinstance(value, list) or not all(isinstance(table, dict) for table in value):
        raise ConfigError(f"the setting {name} must be a list of tables, each beginning with [[{name}]]")
    return tuple(value)


def _boolean(name: str, value: Any) -> bool:
    try:
        return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}[str(value).lower()]
    except KeyError:
        raise ConfigError(f"{_title(name)} is {str(value)!r}; it must be true or false") from None


_INTEGERS = {
    "port": (0, 65535),
    "newsstand_port": (0, 65535),
    "processes": (1, 64),
    "requests_per_minute": (0, 65535),
    "summary_min_publishers": (0, 1000),
    "sentiment_alert_at": (0, 200),
}


def _integer(name: str, value: Any) -> int:
    low, high = INTEGERS[name]
    if not re.fullmatch(r"\d{1,5}", str(value)) or not low <= int(value) <= high:
        raise ConfigError(f"{_title(name)} is {str(value)!r}; it must be a whole number from {low} to {high}")
    return int(value)


def _check(config: Config) -> None:
    choices = {
        "log_level": ("debug", "info", "warning", "error"),
        "log_format": ("text", "json", "auto"),
        "np_mode": ("legacy", "shadow", "prod"),
        "summarize_documents": ("auto", "sites", "all", "none"),
        "lessons_ahead": ("auto", "readers", "all", "none"),
        "alert_level": ("critical", "warning", "info"),
    }
    for name, allowed in choices.items():
        if getattr(config, name) not in allowed:
            raise ConfigError(f"{_title(name)} is {getattr(config, name)!r}; it must be one of {', '.join(allowed)}")
    if config.timezone != "UTC":
        _check_timezone(config.timezone)


def _check_timezone(name: str) -> None:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:  # OSError: a folder of zones, as Europe
        question = suggestions.question(name, available_timezones())
        raise ConfigError(
            f"{_title('timezone')} is {name!r}{question or '; it must be a name such as Europe/Berlin'}"
        ) from error


def _title(name: str) -> str:
    variables = {setting.name: variable(setting) for setting in fields(Config)}
    return f"the setting {name} ({variables[name]})"
