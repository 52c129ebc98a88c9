"""The options of plugins: described in words, read from any form, and set by sections of scoop.toml."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from scoop.core import suggestions
from scoop.core.plugin_types import Access
from scoop.core.secrets import Secret
from scoop.errors import Reject
from scoop.plugin_settings import PluginSettings, variable

OptionsT = TypeVar("OptionsT", bound=msgspec.Struct)

YES_OR_NO = {"yes": True, "no": False}
_EXPLAINED = re.compile(r"`(\w+)`: (.*?)(?=\n\s*`\w+`:|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option of a plugin; `type` is without None and without its metadata, `words` says what values it takes."""

    name: str
    about: str
    type: inspect.Type
    words: str
    default: Any
    access: Access
    is_inherited: bool

    @property
    def is_secret(self) -> bool:
        return isinstance(self.type, inspect.CustomType) and self.type.cls is Secret

    @property
    def is_list(self) -> bool:
        return isinstance(self.type, inspect.VarTupleType | inspect.ListType)


@cache
def describe(options: type[msgspec.Struct]) -> dict[str, Option]:
    """The options by name, those of the plugin itself first."""
    struct = inspect.type_info(options)
    assert isinstance(struct, inspect.StructType)  # noqa: S101 - every Struct is described as one
    about = {name: text for base in reversed(options.__mro__) for name, text in _explained(base).items()}
    bases = [base for base in options.__mro__[1:] if issubclass(base, msgspec.Struct) and base is not msgspec.Struct]
    inherited = {name for base in bases for name in base.__struct_fields__}
    described = [
        Option(
            name=each.name,
            about=about.get(each.name, ""),
            type=_bare(each.type),
            words=_words(each.type),
            default=each.default_factory() if callable(each.default_factory) else each.default,
            access=_access(each.type),
            is_inherited=each.name in inherited,
        )
        for each in struct.fields
    ]
    return {option.name: option for option in sorted(described, key=lambda option: option.is_inherited)}


def _explained(base: type) -> dict[str, str]:
    return {name: " ".join(text.split()) for name, text in _EXPLAINED.findall(base.__doc__ or "")}


def _access(described: inspect.Type) -> Access:
    if isinstance(_bare(described), inspect.CustomType):
        return "cli"
    extra = described.extra if isinstance(described, inspect.Metadata) else None
    level: Access = (extra or {}).get("access", "editor")
    return level


def _bare(described: inspect.Type) -> inspect.Type:
    """A type without its metadata, and without None."""
    if isinstance(described, inspect.Metadata):
        return _bare(described.type)
    if isinstance(described, inspect.UnionType):
        types = [each for each in described.types if not isinstance(each, inspect.NoneType)]
        return _bare(types[0]) if len(types) == 1 else described
    return described


def _words(described: inspect.Type) -> str:
    """The values of a type in words: "integer, 1-600", "list of text", "one of: a, b"."""
    match described:
        case inspect.Metadata(extra_json_schema={"description": description}):
            return str(description)
        case inspect.Metadata(type=inner):
            return _words(inner)
        case inspect.UnionType(types=types):
            return ", or ".join(_words(each) for each in types if not isinstance(each, inspect.NoneType))
        case inspect.LiteralType(values=values):
            return f"one of: {', '.join(map(str, values))}"
        case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item):
            return f"list of {_words(item)}"
        case inspect.IntType(ge=low, le=high) | inspect.FloatType(ge=low, le=high):
            return f"{'integer' if isinstance(described, inspect.IntType) else 'number'}{_range(low, high)}"
        case inspect.StrType(max_length=int(most)):
            return f"text, at most {most:,} characters"
    return {inspect.BoolType: "yes or no", inspect.CustomType: "secret"}.get(type(described), "text")


def _range(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        return f", {low}-{high}"
    return f", {low} or more" if low is not None else f", at most {high}" if high is not None else ""


# Reading


def read(options: type[OptionsT], values: Mapping[str, Any]) -> OptionsT:
    """The options with these values; Reject names the option that is wrong, and what it takes.

    Values may be text, as from a command line: numbers as digits, lists with commas.
    """
    return construct(options, read_values(options, values))


def construct(options: type[OptionsT], values: Mapping[str, Any]) -> OptionsT:
    """The options with values of their types; Reject where the plugin refuses them together."""
    try:
        return options(**values)
    except (ValueError, TypeError) as error:  # raised by `__post_init__`, of several options together
        raise Reject(str(error)) from error


def read_values(options: type[msgspec.Struct], values: Mapping[str, Any]) -> dict[str, Any]:
    """Each value as the type of its option."""
    known = describe(options)
    if unknown := next((name for name in values if name not in known), None):
        hint = suggestions.question(unknown, known) or f"; there are {', '.join(known)}"
        raise Reject(f"there is no option {unknown}{hint}")
    types = {each.name: each.type for each in msgspec.structs.fields(options)}
    return {name: _convert(known[name], value, types[name]) for name, value in values.items()}


def plain_values(options: type[msgspec.Struct], values: Mapping[str, Any]) -> dict[str, Any]:
    """Each value as the type of its option, in the form in which it is stored as JSON."""
    return {name: msgspec.to_builtins(value) for name, value in read_values(options, values).items()}


def _convert(option: Option, value: Any, expected: Any) -> Any:
    if isinstance(value, str) and isinstance(option.type, inspect.VarTupleType):
        value = [part.strip() for part in value.split(",")]
    if isinstance(value, str) and isinstance(option.type, inspect.BoolType):
        value = YES_OR_NO.get(value.lower(), value)
    try:
        return msgspec.convert(value, expected, strict=False, dec_hook=_secret)
    except msgspec.ValidationError as error:
        shown = "" if option.is_secret else f" (is {value!r})"
        raise Reject(f"option {option.name}: must be {_with_article(option.words)}{shown}") from error


def _with_article(words: str) -> str:
    articles = {"integer": "an ", "number": "a ", "list": "a ", "secret": "a "}
    return f"{articles.get(words.partition(' ')[0].rstrip(','), '')}{words}"


def _secret(_expected: type, value: Any) -> Secret:
    if isinstance(value, Secret):
        return value
    if not isinstance(value, str):
        raise TypeError("a secret must be text")
    return Secret(value)


# Settings of the operator


def read_section(settings: PluginSettings, kind: str, name: str, options: type[msgspec.Struct]) -> dict[str, Any]:
    """The options that the operator set for a plugin; a variable wins over the file."""
    values = dict(settings.tables.get(kind, {}).get(name, {}))
    for option in describe(options).values():
        named = variable(kind, name, option.name)
        if named in settings.variables:
            values[option.name] = settings.variables[named]
        if option.is_secret and isinstance(values.get(option.name), str):
            values[option.name] = Secret(values[option.name], name=named)
    return values
