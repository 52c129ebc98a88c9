"""The settings of a noun, defined once for every interface.

A noun lists its settings in `actions/NOUN_settings.py` as `Setting`s: name, sentence, type, bounds and check of each.
Everything else is derived from that list:

- `http.setting_models` makes the bodies of POST and PATCH and their description in the OpenAPI document;
- `cli._settings` makes the options of the commands `add` and `edit`, and reads them;
- `web.setting_fields` makes the fields of the form, fills them and reads them;
- `check` enforces types and bounds for all of these and for `scoop.toml`.

Defaults are those of the noun's dataclass in `model`. A patch maps names to values: a setting that is not in it stays
as it is, one that is None becomes its default again (`apply_patch`).
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, Literal, get_args, get_origin

from scoop.core import suggestions
from scoop.errors import UsageError


def _accept(_value: Any) -> None:
    """No check beyond type and bounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting of a noun.

    `field` is its name in the API and in the dataclass, where that is not `name`.
    `about` is a sentence for the help of the command line, the OpenAPI document and the form. `type` is str, int, bool,
    a Literal, list[...] or dict[str, Any]. `least` and `most` bound the characters of a text, the value of a number and
    the length of a list; `pattern` is a regular expression for a whole text. `check` raises ValueError with the fix.
    `read` and `write` convert between text and the value, or one item of a list. `flag` is the option on the command
    line: "" is --name, None is no option. `label` names the field of the form: "" is the name, None is no field;
    `is_common` shows it before "More settings".
    """

    name: str
    field: str = ""
    about: str
    type: Any = str
    least: int = 1
    most: int = 256
    pattern: str | None = None
    check: Callable[[Any], object] = _accept
    read: Callable[[str], Any] = str.strip
    write: Callable[[Any], str] = str
    is_required: bool = False
    is_fixed: bool = False
    """Whether it is chosen when the noun is added and never changed."""
    is_argument: bool = False
    """Whether the command that adds the noun takes it as an argument, not as an option."""
    flag: str | None = ""
    metavar: str | None = None
    label: str | None = ""
    is_common: bool = False
    has_own_default: bool = False
    """Whether its default depends on the desk: `about` says so."""

    @property
    def attribute(self) -> str:
        """Its name in the API and in the dataclass of the noun."""
        return self.field or self.name

    @property
    def is_list(self) -> bool:
        return get_origin(self.type) is list

    @property
    def is_table(self) -> bool:
        return get_origin(self.type) is dict

    @property
    def choices(self) -> tuple[str, ...]:
        return get_args(self.type) if get_origin(self.type) is Literal else ()


def check(settings: Iterable[Setting], values: Mapping[str, Any]) -> None:
    """UsageError for the first value that is not as its setting says; None and missing values are not looked at."""
    for setting in settings:
        if (value := values.get(setting.name)) is not None:
            _check_value(setting, value)


def check_names(noun: str, settings: Iterable[Setting], names: Iterable[str]) -> None:
    """UsageError for a name that is not a setting of the noun."""
    known = sorted(setting.name for setting in settings)
    for name in names:
        if name not in known:
            hint = suggestions.question(name, known) or f"; its settings are {', '.join(known)}"
            raise UsageError(f"a {noun} has no setting {name!r}{hint}")


def apply_patch(defaults: type[Any], known: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """The values with a patch: None is the default again; it stays None where the dataclass has no default."""
    changes = {name: default(defaults, name) if value is None else value for name, value in patch.items()}
    return {**known, **changes}


def default(defaults: type[Any], name: str) -> Any:
    """The default of a field of a dataclass; None where it has none."""
    for field in fields(defaults):
        if field.name == name and field.default is not MISSING:
            return field.default
        if field.name == name and field.default_factory is not MISSING:
            return field.default_factory()
    return None


def _check_value(setting: Setting, value: Any) -> None:
    if problem := _bounds_problem(setting, value):
        raise UsageError(f"{setting.name}: must be {problem}")
    try:
        setting.check(value)
    except ValueError as error:
        named = str(error).startswith(setting.name)
        raise UsageError(str(error) if named else f"{setting.name}: {error}") from error


def _bounds_problem(setting: Setting, value: Any) -> str | None:
    """What a value must be that it is not."""
    least, most = setting.least, setting.most
    if setting.type is str and not (isinstance(value, str) and least <= len(value.strip()) <= most):
        return f"{least:,} to {most:,} characters"
    if setting.pattern and not re.fullmatch(setting.pattern, value):
        return f"text that matches {setting.pattern}, not {value!r}. {setting.about}"
    if setting.type is int and not (type(value) is int and least <= value <= most):
        return f"a whole number from {least:,} to {most:,}"
    if setting.type is bool and not isinstance(value, bool):
        return "true or false"
    if setting.choices and value not in setting.choices:
        return f"one of {', '.join(map(str, setting.choices))}"
    if setting.is_list and not (isinstance(value, list) and least <= len(value) <= most):
        length = f"{least:,} to {most:,}" if least else f"at most {most:,}"
        return f"a list of {length}. {setting.about}"
    if setting.is_table and not (isinstance(value, Mapping) and len(value) <= most):
        return f"a table of at most {most:,} values"
    return None
