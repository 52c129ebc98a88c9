"""What every plugin promises, of every kind and whoever wrote it."""

import inspect
import json
import re
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple, get_args

import msgspec
import pytest

from scoop import options, plugins, sources
from scoop.actions import sources as source_actions
from scoop.core.plugin_types import Access
from scoop.core.secrets import Secret
from scoop.errors import Reject
from scoop.plugin_settings import KINDS, OLD_NAMES, PluginSettings

WORDS = {"text", "secret", "integer", "number", "list", "yes", "one", "a", "the"}
RIDDLES = ("told", "whoever", "whom", "anew", "strangers")


class Found(NamedTuple):
    kind: str
    package: ModuleType
    plugin: type[Any]

    def __str__(self) -> str:
        return f"{self.kind}.{self.plugin.name}"


EVERY = [
    Found(kind.name, package, plugin)
    for kind in KINDS
    for package in [import_module(kind.package)]
    for plugin in plugins.discover(package).values()
]
every_plugin = pytest.mark.parametrize("found", EVERY, ids=str)
every_source = pytest.mark.parametrize("plugin", plugins.discover(sources).values(), ids=lambda plugin: plugin.name)


def test_every_kind_has_plugins():
    assert {found.kind for found in EVERY} == {kind.name for kind in KINDS}


@every_plugin
def test_a_plugin_of_ours_is_one_file_with_its_name(found):
    assert found.plugin.__module__ == f"{found.package.__name__}.{found.plugin.name}"


@every_plugin
def test_a_plugin_says_who_may_set_it_up(found):
    assert found.plugin.access in get_args(Access)
    assert "access" in vars(found.plugin)


@every_plugin
def test_a_plugin_explains_itself_in_plain_words(found):
    page = " ".join(
        [inspect.getdoc(found.plugin), *(each.about for each in options.describe(found.plugin.Options).values())]
    )
    assert len(inspect.getdoc(found.plugin).split()) > 10
    assert [word for word in RIDDLES if word in page.lower().split()] == []


@every_plugin
def test_an_option_is_explained_described_in_words_and_has_a_default(found):
    for option in options.describe(found.plugin.Options).values():
        assert option.about.endswith("."), option.name
        assert "typing" not in option.words
        assert option.words.split()[0].strip(",:") in {
            "text",
            "secret",
            "integer",
            "number",
            "list",
            "yes",
            "one",
            "a",
            "the",
        }
        assert option.default is not msgspec.NODEFAULT
        json.dumps(option.default)


@every_plugin
def test_an_unknown_option_is_refused_by_its_name(found):
    with pytest.raises(Reject, match="there is no option colour"):
        plugins.makers(found.package)[found.plugin.name]({"colour": "red"})


@every_plugin
def test_a_secret_is_bound_to_hosts_and_cannot_be_set_where_others_can_write(found):
    secrets = [option for option in options.describe(found.plugin.Options).values() if option.is_secret]
    for secret in secrets:
        assert secret.access == "cli"
        assert found.plugin.base_url or "base_url" in found.plugin.Options.__struct_fields__
        with pytest.raises(Reject, match=f"option {secret.name} is a secret"):
            plugins.makers(found.package)[found.plugin.name]({secret.name: "mine"})


@every_plugin
def test_an_option_that_names_another_server_is_for_admins(found):
    for name in {"base_url", "connect_to", "allow_private"} & set(found.plugin.Options.__struct_fields__):
        levels = {found.plugin.access, options.describe(found.plugin.Options)[name].access}
        assert levels != {"editor"}


@every_plugin
def test_every_option_can_be_set_by_its_variable_and_in_its_section(found):
    for option in options.describe(found.plugin.Options).values():
        value = {"yes or no": "yes"}.get(option.words, "5" if option.words.startswith(("integer", "number")) else "x")
        variable = f"SCOOP_{found.kind}_{found.plugin.name}_{option.name}".upper()
        by_variable = PluginSettings(variables={variable: value})
        by_section = PluginSettings(tables={found.kind: {found.plugin.name: {option.name: value}}})
        sections = [
            options.read_section(settings, found.kind, found.plugin.name, found.plugin.Options)
            for settings in (by_variable, by_section)
        ]
        assert all(section.keys() == {option.name} for section in sections)
        assert all(isinstance(section[option.name], Secret) == option.is_secret for section in sections)


@pytest.mark.parametrize(("kind", "plugin", "option"), OLD_NAMES.values())
def test_a_setting_that_moved_moved_to_an_option_that_exists(kind, plugin, option):
    assert option in plugins.discover(import_module(f"scoop.{kind}"))[plugin].Options.__struct_fields__


# What people paste to add a source


@every_source
def test_what_is_pasted_becomes_a_source_of_its_kind_with_valid_options(plugin):
    for pattern, example in plugin.targets.items():
        kind, given = source_actions.resolve_target(example)
        assert (kind, given.keys() <= set(plugin.Options.__struct_fields__)) == (plugin.name, True), pattern
        settings = source_actions.read_settings({"target": example, "collection": "news"})
        assert settings.base_url.startswith(plugin.base_url)
        assert plugins.makers(sources)[kind](settings.options).options


@every_source
def test_an_example_of_one_kind_is_understood_by_no_other(plugin):
    for example in plugin.targets.values():
        others = [name for name in plugins.discover(sources) if name != plugin.name]
        assert [name for name in others if _matches(name, example)] == []


def _matches(name: str, example: str) -> bool:
    return any(re.fullmatch(pattern, example) for pattern in plugins.discover(sources)[name].targets)


def test_an_address_that_no_plugin_knows_is_a_feed():
    assert source_actions.resolve_target("https://tribune.example/feed") == ("rss", {})
