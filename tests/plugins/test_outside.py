"""Plugins of other packages: found by entry points, for admins unless they say otherwise, checked when Scoop starts."""

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from channels.posts import a_digest, a_post, on_an_errand
from generator import plugin_kinds
from scoop import channels, embedders, plugins, sources, writers
from scoop.app import open_embedder
from scoop.config import Config
from scoop.errors import ConfigError, Reject
from scoop.plugin_settings import KINDS, PluginSettings
from web.visitor import visiting

MODULE = '''
import numpy as np

from scoop.channels import http, whole
from scoop.core.plugin_types import PluginOptions
from scoop.core.secrets import Secret
from scoop.embedders import Model, unit
from scoop.sources import Harvest, ServiceOptions
from scoop.writers import Prices, Reply


class Bulletin:
    """A bulletin that is written in the program itself."""

    name = "bulletin"
    base_url = "https://bulletin.example"
    targets = {r"bulletin:(?P<desk>[a-z]+)": "bulletin:sports"}

    class Options(ServiceOptions, frozen=True, kw_only=True):
        """What is read.

        `desk`: the desk that writes it.
        `api_key`: your key.
        """

        desk: str = "news"
        api_key: Secret | None = None

    def __init__(self, options):
        self.options = options

    async def fetch(self, visit):
        title = f"{self.options.desk}: bridge closed"
        return Harvest(items=[{"source_item_id": "1", "title": title, "source_metadata": {}}])


class Pigeon(http.Final):
    """A carrier pigeon, which always arrives."""

    name = "pigeon"
    repeats = True

    class Options(PluginOptions, frozen=True, kw_only=True):
        """Which bird.

        `base_url`: its loft.
        `bird`: its name.
        """

        bird: str = "Ada"

    def __init__(self, options):
        self.options = options

    def parts(self, digest, mark):
        return [whole.part(digest, mark)]

    async def send(self, post, errand):
        return f"{self.options.bird} {post.part_no}"


class Letters:
    """Vectors of how often each letter comes."""

    name = "letters"
    waits = False
    model = Model(name="letters", version="1")
    endpoint = "here"

    class Options(PluginOptions, frozen=True, kw_only=True):
        """It has no options."""

    def __init__(self, options, client):
        self.options = options

    async def embed(self, texts):
        counts = [[1.0, *(text.lower().count(chr(97 + number)) for number in range(26))] for text in texts]
        return unit(np.array(counts), count=len(texts), origin="letters")


class Echo:
    """A writer that writes the prompt back, word for word, as its whole reply."""

    name = "echo"
    provider = "local"
    model = "echo"
    endpoint = "here"
    prices = Prices()
    max_prompt_tokens = 8000

    class Options(PluginOptions, frozen=True, kw_only=True):
        """It has no options."""

    def __init__(self, options, client):
        self.options = options

    async def write(self, order, prompt):
        return Reply(text=prompt.user, model=self.model)
'''
ENTRY_POINTS = """
[scoop.sources]
bulletin = scoop_extras:Bulletin
[scoop.channels]
pigeon = scoop_extras:Pigeon
[scoop.embedders]
letters = scoop_extras:Letters
[scoop.writers]
echo = scoop_extras:Echo
"""
Install = Callable[[str, str], None]


def forget() -> None:
    plugins.discover.cache_clear()
    sys.modules.pop("scoop_extras", None)
    importlib.invalidate_caches()


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a package by hand: its module, and the folder that says what it offers."""

    def put(module: str, entries: str) -> None:
        info = tmp_path / "scoop_extras-1.2.dist-info"
        info.mkdir()
        (tmp_path / "scoop_extras.py").write_text(module)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: scoop-extras\nVersion: 1.2\n")
        (info / "entry_points.txt").write_text(entries)
        monkeypatch.syspath_prepend(str(tmp_path))
        forget()

    yield put
    monkeypatch.undo()
    forget()


@pytest.fixture
def extras(install: Install) -> None:
    install(MODULE, ENTRY_POINTS)


@pytest.mark.usefixtures("extras")
def test_plugins_of_a_package_are_found_beside_our_own_and_are_for_admins():
    found = {package: plugins.discover(package) for package in (sources, channels, embedders, writers)}
    assert {"bulletin", "rss"} <= found[sources].keys()
    assert {"pigeon", "file"} <= found[channels].keys()
    assert {"letters", "local"} <= found[embedders].keys()
    assert {"echo", "openai"} <= found[writers].keys()
    assert found[writers]["echo"].waits
    assert [found[sources]["bulletin"].access, found[channels]["pigeon"].access] == ["admin", "admin"]


@pytest.mark.usefixtures("extras")
async def test_a_source_of_a_package_is_added_by_what_it_understands_and_visited(database):
    async with visiting(database, role="editor") as editor, visiting(database) as admin:
        given = {"target": "bulletin:sports", "collection": "news"}
        refused = await editor.ask("POST", "/api/v1/sources", given | {"check": False})
        preview = await admin.ask("POST", "/api/v1/sources/preview", given)
        added = await admin.ask("POST", "/api/v1/sources", given | {"check": True})
    assert (refused.status, added.status) == (403, 201)
    assert (added.json["kind"], added.json["base_url"]) == ("bulletin", "https://bulletin.example/")
    assert [item["title"] for item in preview.json["items"]] == ["sports: bridge closed"]


@pytest.mark.usefixtures("extras")
async def test_a_channel_of_a_package_that_does_not_say_whom_it_is_for_is_not_for_editors(database):
    path = "/api/v1/topics/ai_news/channels/bird"
    async with visiting(database, role="editor") as editor, visiting(database) as admin:
        by_api = await editor.ask("PUT", path, {"kind": "pigeon"})
        by_form = await editor.post("/topics/ai_news/channels", {"kind": "pigeon", "name": "bird"})
        offered = (await editor.get("/topics/ai_news/new-channel")).page
        added = await admin.ask("PUT", path, {"kind": "pigeon", "options": {"bird": "Bob"}})
        to_admins = (await admin.get("/topics/ai_news/new-channel")).page
    assert (by_api.status, by_form.status, added.status) == (403, 404, 200)
    assert not any("pigeon" in link for link in offered.links())
    assert any("pigeon" in link for link in to_admins.links())


@pytest.mark.usefixtures("extras")
async def test_a_channel_of_a_package_sends_with_the_options_of_its_section():
    settings = PluginSettings(variables={"SCOOP_CHANNELS_PIGEON_BIRD": "Cleo"})
    makers = plugins.makers(channels, settings)
    async with on_an_errand() as errand:
        assert await makers["pigeon"]({}).send(a_post(), errand) == "Cleo 1"
        assert await makers["pigeon"]({"bird": "Dot"}).send(a_post(), errand) == "Dot 1"
    assert makers["pigeon"]({}).parts(a_digest(), str)


@pytest.mark.usefixtures("extras")
async def test_an_embedder_of_a_package_is_chosen_by_the_setting():
    embedder = open_embedder(Config(embedder="letters"), None)
    assert (await embedder.embed(["abba", "b"])).shape == (2, 27)


@pytest.mark.usefixtures("extras")
def test_the_secret_of_a_package_is_bound_to_the_host_it_names():
    settings = PluginSettings(variables={"SCOOP_SOURCES_BULLETIN_API_KEY": "s3cret"})
    key = plugins.makers(sources, settings)["bulletin"]({}).options.api_key
    assert key.for_url("https://bulletin.example/api") == "s3cret"
    for address in ("http://bulletin.example/api", "https://bulletin.example.evil/", "https://evil.example/"):
        with pytest.raises(Exception, match="belongs to another host"):
            key.for_url(address)
    with pytest.raises(Reject, match="api_key is a secret: set SCOOP_SOURCES_BULLETIN_API_KEY instead"):
        plugins.makers(sources, settings)["bulletin"]({"api_key": "mine"})


@pytest.mark.usefixtures("extras")
def test_plugins_of_a_package_are_documented_as_our_own():
    pages = {kind.name: plugin_kinds.kind_page(kind) for kind in KINDS}
    section = pages["sources"].partition("## bulletin\n")[2].partition("\n## ")[0]
    assert "A bulletin that is written in the program itself." in section
    assert "Set up by: admins." in section
    assert "`bulletin:sports`" in section
    assert "| `desk` | text | `news` | The desk that writes it. | `SCOOP_SOURCES_BULLETIN_DESK` |" in section
    assert "## pigeon" in pages["channels"]
    assert "## letters" in pages["embedders"]
    assert "## echo" in pages["writers"]


WITHOUT = [
    ('    name = "pigeon"\n', "", "the field `name` is missing"),
    ('"pigeon"', '"Carrier Pigeon"', "the field `name` is 'Carrier Pigeon': it must be 1 to 64 of a-z"),
    ('"pigeon"', "7", "the field `name` is 7: expected `str`, got `int`"),
    ('"pigeon"', '"file"', "its `name` is taken by scoop.channels.file.File"),
    ("    repeats = True\n", "", "the field `repeats` is missing"),
    ("    repeats = True\n", "    repeats = 'often'\n", "the field `repeats` is 'often': expected `bool`"),
    ("    repeats = True\n", "    repeats = True\n    access = 'all'\n", "the field `access` is 'all'"),
    ('"""A carrier pigeon, which always arrives."""', "", "its docstring, which is its reference page, is missing"),
    ("        `bird`: its name.\n", "", "does not explain the option: write a line that begins `bird`:"),
    ("class Options(PluginOptions", "class Settings(PluginOptions", "the field `Options` is missing"),
    ("Options(PluginOptions, frozen=True, kw_only=True)", "Options", "must be a class derived from scoop.core"),
    ("    async def send(", "    def send(", "the method `send` must be async"),
    ("    async def send(", "    async def push(", "the method `send` is missing"),
    (
        'bird: str = "Ada"',
        'bird: str = "Ada"\n        base_url: str = ""\n\n    access = "editor"\n',
        "the option `base_url` chooses the server that is used, and must be marked as ADMIN_ONLY",
    ),
    ('bird: str = "Ada"', 'bird: Secret = "Ada"', "the option `bird` is a secret, and no field `base_url` or `hosts`"),
]


@pytest.mark.parametrize(("old", "new", "problem"), WITHOUT)
def test_a_plugin_with_a_missing_or_bad_field_is_refused_with_its_name_package_and_field(install, old, new, problem):
    before, pigeon, after = MODULE.partition("class Pigeon")
    own, letters, rest = after.partition("class Letters")
    assert old in own
    install(before + pigeon + own.replace(old, new) + letters + rest, ENTRY_POINTS)
    with pytest.raises(ConfigError) as refused:
        plugins.discover(channels)
    message = str(refused.value)
    assert message.startswith("the channel plugin ")
    assert "the package scoop-extras 1.2" in message
    assert problem in message


@pytest.mark.parametrize(
    ("module", "entry", "problem"),
    [
        ("import nothing_of_this_name", "scoop_extras:Pigeon", "No module named 'nothing_of_this_name'"),
        ("class Pigeon", "scoop_extras:Pigeon", "expected ':'"),
        ("", "scoop_extras:Pigeon", "has no attribute 'Pigeon'"),
        ("Pigeon = 7", "scoop_extras:Pigeon", "it must be a class"),
    ],
)
def test_a_package_that_cannot_be_loaded_is_refused_with_its_name(install, module, entry, problem):
    install(module, f"[scoop.channels]\npigeon = {entry}\n")
    with pytest.raises(ConfigError) as refused:
        plugins.discover(channels)
    assert "scoop-extras 1.2" in str(refused.value)
    assert problem in str(refused.value)
