"""Plugins of every kind: found in their package and in installed packages, checked, and made with their options."""

import inspect
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Any, ClassVar, get_args, get_origin, get_type_hints

import msgspec

from scoop import options
from scoop.core import suggestions
from scoop.core.plugin_types import Plugin, PluginOptions
from scoop.core.secrets import Secret
from scoop.errors import ConfigError, Reject
from scoop.options import Option
from scoop.plugin_settings import KINDS, NO_SETTINGS, Kind, PluginSettings, variable

Maker = Callable[..., Any]
"""Makes a plugin from the options of one source or channel; Reject names the option that is wrong."""

SERVER_OPTIONS = ("base_url", "connect_to", "allow_private")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_BROKEN = (ImportError, AttributeError, SyntaxError, NameError, TypeError, ValueError)


DEFAULTS: Mapping[str, Any] = {"access": "admin", "base_url": None, "hosts": ()}
"""Of every kind: a plugin that does not say who may set it up is for admins."""


def kind_of(package: ModuleType) -> Kind:
    return next(kind for kind in KINDS if kind.package == package.__name__)


# Finding


@cache
def discover(package: ModuleType) -> dict[str, type[Any]]:
    """The plugins of a kind by name: those in its package, and those that installed packages offer.

    ConfigError names the plugin, the package and the field where one of them cannot be used.
    """
    kind = kind_of(package)
    found: dict[str, type[Any]] = {}
    for origin, plugin in [*_own(package), *_offered(kind)]:
        if problem := _complete(plugin, kind) or (_taken(found[plugin.name]) if plugin.name in found else None):
            raise ConfigError(f"the {kind.noun} plugin {_title(plugin)} of {origin} cannot be used: {problem}")
        found[plugin.name] = plugin
    return found


def _own(package: ModuleType) -> Iterator[tuple[str, type[Any]]]:
    for each in pkgutil.iter_modules(package.__path__):
        module = import_module(f"{package.__name__}.{each.name}")
        for _, found in inspect.getmembers(module, inspect.isclass):
            if found.__module__ == module.__name__ and isinstance(vars(found).get("name"), str):
                yield module.__name__, found


def _offered(kind: Kind) -> Iterator[tuple[str, Any]]:
    for entry in entry_points(group=kind.package):
        yield _package(entry), _load(kind, entry)


def _load(kind: Kind, entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except _BROKEN as error:
        raise ConfigError(
            f"the {kind.noun} plugin {entry.name!r} of {_package(entry)} cannot be loaded from {entry.value}: {error}; "
            "mend or uninstall the package"
        ) from error


def _package(entry: EntryPoint) -> str:
    return f"the package {entry.dist.name} {entry.dist.version}" if entry.dist else f"the module {entry.module}"


def _title(plugin: Any) -> str:
    return repr(getattr(plugin, "name", None) or getattr(plugin, "__qualname__", plugin))


def _taken(other: type[Any]) -> str:
    return f"its `name` is taken by {other.__module__}.{other.__qualname__}; give it another"


# Checking


def _complete(plugin: Any, kind: Kind) -> str | None:
    """Fill in the fields that a plugin may leave out; the reason why it cannot be used, if there is one."""
    if not inspect.isclass(plugin):
        return "it must be a class"
    for name, value in {**DEFAULTS, **kind.defaults}.items():
        if not hasattr(plugin, name):
            setattr(plugin, name, value)
    protocol = getattr(import_module(kind.package), kind.protocol)
    hints = {**get_type_hints(Plugin), **get_type_hints(protocol)}
    problems = (
        *(_field_problem(plugin, name, hint) for name, hint in hints.items()),
        *(_method_problem(plugin, name, method) for name, method in inspect.getmembers(protocol, inspect.isfunction)),
    )
    return next(filter(None, problems), None) or _text_problem(plugin)


def _field_problem(plugin: type[Any], name: str, hint: Any) -> str | None:
    """The problem of a field of the class; a field that only its instances have cannot be seen yet."""
    expected = get_args(hint)[0] if get_origin(hint) is ClassVar else hint
    if not hasattr(plugin, name):
        return f"the field `{name}` is missing"
    value = getattr(plugin, name)
    if get_origin(expected) is type:
        return _options_problem(name, value, get_args(expected)[0])
    try:
        msgspec.convert(value, expected)
    except msgspec.ValidationError as error:
        return f"the field `{name}` is {value!r}: {str(error).lower()}"
    return None


def _options_problem(name: str, value: Any, base: type[PluginOptions]) -> str | None:
    if not inspect.isclass(value) or not issubclass(value, base):
        return f"the field `{name}` must be a class derived from {base.__module__}.{base.__qualname__}"
    if named_as_file := [each for each in value.__struct_fields__ if each.endswith("_file")]:
        return f"the option `{named_as_file[0]}` must not end in _file: a setting that does names a file with the value"
    unexplained = [option.name for option in options.describe(value).values() if not option.about]
    if unexplained:
        return f"the docstring of `{name}` does not explain the option: write a line that begins `{unexplained[0]}`:"
    return None


def _method_problem(plugin: type[Any], name: str, expected: Callable[..., Any]) -> str | None:
    if name.startswith("_"):
        return None
    method = getattr(plugin, name, None)
    if not callable(method):
        return f"the method `{name}` is missing"
    if inspect.iscoroutinefunction(expected) and not inspect.iscoroutinefunction(method):
        return f"the method `{name}` must be async"
    return None


def _text_problem(plugin: type[Any]) -> str | None:
    if not _NAME.fullmatch(plugin.name) or plugin.name == "options":
        return f"the field `name` is {plugin.name!r}: it must be 1 to 64 of a-z, 0-9 and _, and begin with a letter"
    if not (plugin.__doc__ or "").strip():
        return "its docstring, which is its reference page, is missing"
    return _address_problem(plugin)


def _address_problem(plugin: type[Any]) -> str | None:
    """The problem of a plugin whose secrets, or whose requests, could go where an editor wants them to go."""
    described = options.describe(plugin.Options)
    has_address = plugin.base_url or plugin.hosts or "base_url" in described
    if not has_address and (secret := next((each for each in described.values() if each.is_secret), None)):
        return f"the option `{secret.name}` is a secret, and no field `base_url` or `hosts` says where it may be sent"
    open_options = [name for name in SERVER_OPTIONS if name in described and described[name].access == "editor"]
    if plugin.access == "editor" and open_options:
        return f"the option `{open_options[0]}` chooses the server that is used, and must be marked as ADMIN_ONLY"
    return None


# Making


class Makers(dict[str, Maker]):
    """The makers of plugins by name; a name that no plugin has is a Reject."""

    def __init__(self, kind: Kind, makers: Mapping[str, Maker]) -> None:
        super().__init__(makers)
        self._kind = kind

    def __missing__(self, name: str) -> Maker:
        raise Reject(_unknown(self._kind, name, self))


def _unknown(kind: Kind, name: str, known: Iterable[str]) -> str:
    hint = suggestions.question(name, known) or f"; there are {', '.join(sorted(known))}"
    return f"there is no kind of {kind.noun} {name!r}{hint}"


def makers(package: ModuleType, settings: PluginSettings = NO_SETTINGS) -> Makers:
    """For each plugin of a kind, the function that makes it with the settings of the operator."""
    kind = kind_of(package)
    return Makers(kind, {name: partial(_make, kind, plugin, settings) for name, plugin in discover(package).items()})


def _make(kind: Kind, plugin: type[Any], settings: PluginSettings, own: Mapping[str, Any], *more: Any) -> Any:
    """A plugin with its options: those of one source or channel, then those of its section, then the defaults.

    Its secrets are bound to its own addresses, and to the server that an admin or the operator chose instead.
    """
    described = options.describe(plugin.Options)
    if secret := next((name for name in own if name in described and described[name].is_secret), None):
        raise Reject(f"option {secret} is a secret: set {variable(kind.name, plugin.name, secret)} instead")
    section = options.read_section(settings, kind.name, plugin.name, plugin.Options)
    values = options.read_values(plugin.Options, {**section, **own})
    return plugin(options.construct(plugin.Options, values | _bound_secrets(plugin, values)), *more)


def _bound_secrets(plugin: type[Any], values: Mapping[str, Any]) -> dict[str, Secret]:
    urls = [url for url in (plugin.base_url, *plugin.hosts, values.get("base_url")) if url]
    try:
        return {name: value.bound_to(*urls) for name, value in values.items() if isinstance(value, Secret)}
    except ValueError as error:
        raise Reject(f"option base_url: must be an http or https address (is {values['base_url']!r})") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginSetting:
    """An option of a plugin as a setting; `value` is None where the operator did not set it."""

    kind: str
    plugin: str
    option: Option
    value: Any

    @property
    def is_notable(self) -> bool:
        """Whether it is worth a line in a list of settings: it is set, or it can be set in no other way."""
        return self.value is not None or self.option.is_secret

    @property
    def name(self) -> str:
        return f"{self.kind}.{self.plugin}.{self.option.name}"

    @property
    def variable(self) -> str:
        return variable(self.kind, self.plugin, self.option.name)


def list_settings(settings: PluginSettings = NO_SETTINGS) -> list[PluginSetting]:
    """Every option of every plugin, with the value that the operator set."""
    return [
        PluginSetting(kind=kind.name, plugin=name, option=option, value=section.get(option.name))
        for kind in KINDS
        for name, plugin in discover(import_module(kind.package)).items()
        for section in [options.read_section(settings, kind.name, name, plugin.Options)]
        for option in options.describe(plugin.Options).values()
    ]


def check_settings(settings: PluginSettings) -> None:
    """ConfigError for a section or an option that no plugin has, and for a wrong value."""
    for kind in KINDS:
        found = discover(import_module(kind.package))
        if unknown := next((name for name in settings.tables.get(kind.name, {}) if name not in found), None):
            raise ConfigError(f"[{kind.name}.{unknown}]: {_unknown(kind, unknown, found)}")
        for name, plugin in found.items():
            try:
                options.read_values(plugin.Options, options.read_section(settings, kind.name, name, plugin.Options))
            except Reject as error:
                raise ConfigError(f"[{kind.name}.{name}]: {error}") from error


def unknown_variables(settings: PluginSettings) -> Iterator[str]:
    """A warning for each variable of a plugin that no plugin has, with the nearest one that there is."""
    known = {setting.variable for setting in list_settings()}
    for name in settings.variables:
        if name not in known:
            yield f"{name} is not a setting and has no effect{suggestions.question(name, known)}"
