"""`scoop plugins`: which plugins there are, and what each can be set to."""

import json

from builders import scoop


def test_all_plugins_are_listed_with_who_may_set_them_up():
    listed = json.loads(scoop("plugins", "list", "--json").stdout)
    access = {(plugin["kind"], plugin["name"]): plugin["access"] for plugin in listed}
    assert access["sources", "rss"] == "editor"
    assert access["channels", "email"] == "admin"
    assert access["channels", "command"] == access["embedders", "openai"] == access["writers", "azure"] == "cli"


def test_a_plugin_is_shown_with_its_options_and_their_variables():
    done = scoop("plugins", "show", "sources", "tavily")
    assert "A web search through Tavily's API" in done.stdout
    assert "SCOOP_SOURCES_TAVILY_API_KEY" in done.stdout
    assert "integer, 1-365" in done.stdout
    shown = json.loads(scoop("plugins", "show", "sources", "tavily", "--json").stdout)
    assert {option["option"]: option["default"] for option in shown["options"]}["days"] == 3


def test_a_mistyped_plugin_is_refused_with_the_nearest_one():
    done = scoop("plugins", "show", "channels", "emial")
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean email?" in done.stderr
