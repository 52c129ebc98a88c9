"""The page of each kind of plugin, from the plugins that are found."""

import inspect
from importlib import import_module
from typing import Any

from generator.markdown import code, page_head, table
from scoop import options, plugin_settings, plugins
from scoop.config import CONFIG_FILE
from scoop.core.plugin_types import Access
from scoop.plugin_settings import Kind

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
