"""Settings with names of their own: modes of a move, secrets that channels name, and options of plugins."""

from pathlib import Path

import pytest

from scoop import config, plugin_settings, plugins, sources
from scoop.errors import ConfigError

FOLDER = Path("/nowhere")


def test_channels_find_their_secrets_by_name(tmp_path):
    (tmp_path / "url").write_text("https://discord.com/api/webhooks/1/canary\n")
    environ = {"SCOOP_SECRET_MAIL_PASSWORD": "hunter2", "SCOOP_SECRET_AI_WEBHOOK_FILE": str(tmp_path / "url")}
    found = config.load(environ, FOLDER)
    server = "smtp://mail.example"
    assert found.secrets["mail_password"].bound_to(server).for_url(server) == "hunter2"
    assert found.secrets["ai_webhook"].own_address() == "https://discord.com/api/webhooks/1/canary"
    assert "hunter2" not in f"{found} {found.secrets}"
    assert "canary" not in f"{found} {found.secrets}"


def test_a_secret_in_the_file_is_refused_with_the_variable_to_set(tmp_path):
    (tmp_path / "scoop.toml").write_text('named_secrets = ["hunter2"]\n')
    with pytest.raises(ConfigError, match="set SCOOP_SECRET_NAME, or SCOOP_SECRET_NAME_FILE") as refusal:
        config.load({}, tmp_path)
    assert "hunter2" not in str(refusal.value)


def test_the_modes_of_a_move_keep_the_names_of_the_older_system():
    environ = {"NP_MODE": "shadow", "NP_PUBLISH_V2": "false", "NP_WRITE_RAW_LEDGER": "0"}
    found = config.load(environ, FOLDER)
    assert (found.np_mode, found.np_publish_v2, found.np_write_raw_ledger) == ("shadow", False, False)


@pytest.mark.parametrize(
    ("environ", "told"),
    [
        ({"NP_MODE": "both"}, r"\(NP_MODE\) is 'both'; it must be one of legacy, shadow, prod"),
        ({"NP_PUBLISH_V2": "perhaps"}, r"\(NP_PUBLISH_V2\) is 'perhaps'; it must be true or false"),
    ],
)
def test_a_wrong_mode_is_told_with_what_it_may_be(environ, told):
    with pytest.raises(ConfigError, match=told):
        config.load(environ, FOLDER)


# Plugins


def tavily(environ, folder=FOLDER):
    """The options of a web search under these settings."""
    return plugins.makers(sources, config.load(environ, folder).plugins)["tavily"]({"query": "x"}).options


@pytest.fixture(autouse=True)
def _warn_again():
    plugin_settings._warn_once.cache_clear()


def test_an_option_of_a_plugin_comes_from_its_section_and_a_variable_wins(tmp_path):
    (tmp_path / "scoop.toml").write_text(
        '[sources.tavily]\ndays = 5\ntopic = "general"\ninclude_domains = ["a.test"]\n'
    )
    environ = {"SCOOP_SOURCES_TAVILY_DAYS": "7", "SCOOP_SOURCES_TAVILY_EXCLUDE_DOMAINS": "b.example, c.example"}
    options = tavily(environ, tmp_path)
    assert (options.days, options.topic) == (7, "general")
    assert (options.include_domains, options.exclude_domains) == (("a.test",), ("b.example", "c.example"))


@pytest.mark.parametrize(
    ("environ", "toml"),
    [
        ({"SCOOP_SOURCES_TAVILY_API_KEY": "s3cret"}, ""),
        ({"SCOOP_SOURCES_TAVILY_API_KEY_FILE": "FILE"}, ""),
        ({"SCOOP_TAVILY_API_KEY": "s3cret"}, ""),
        ({"SCOOP_TAVILY_API_KEY_FILE": "FILE"}, ""),
        ({"SCOOP_TAVILY_API_KEY": "old", "SCOOP_SOURCES_TAVILY_API_KEY": "s3cret"}, ""),
        ({}, '[sources.tavily]\napi_key = "s3cret"\n'),
        ({}, '[sources.tavily]\napi_key_file = "FILE"\n'),
        ({}, '[[sources]]\ntarget = "hackernews"\ncollection = "news"\n[sources.tavily]\napi_key = "s3cret"\n'),
    ],
)
def test_a_secret_of_a_plugin_is_set_by_variable_file_section_or_old_name(environ, toml, tmp_path):
    (tmp_path / "key").write_text("s3cret\n")
    (tmp_path / "scoop.toml").write_text(toml.replace("FILE", str(tmp_path / "key")))
    named = {name: value.replace("FILE", str(tmp_path / "key")) for name, value in environ.items()}
    found = config.load(named, tmp_path)
    assert tavily(named, tmp_path).api_key.for_url("https://api.tavily.com/search") == "s3cret"
    assert "s3cret" not in f"{found}"
    assert all(table.keys() <= {"target", "collection"} for table in found.sources)


def test_a_section_of_a_plugin_after_sources_leaves_their_options_to_them(tmp_path):
    (tmp_path / "scoop.toml").write_text(
        '[[sources]]\ntarget = "search:x"\ncollection = "a"\n[sources.options]\ndays = 9\n[sources.tavily]\ndays = 5\n'
    )
    found = config.load({}, tmp_path)
    assert found.sources[0]["options"] == {"days": 9}
    assert found.plugins.tables["sources"] == {"tavily": {"days": 5}}


def test_a_section_before_the_sources_is_refused_with_the_order_to_use(tmp_path):
    (tmp_path / "scoop.toml").write_text('[sources.tavily]\ndays = 5\n[[sources]]\ntarget = "hackernews"\n')
    with pytest.raises(ConfigError, match=r"write \[\[sources\]\] before \[sources.NAME\]"):
        config.load({}, tmp_path)


def test_an_old_name_goes_on_working_and_says_once_what_replaces_it(tmp_path, capsys):
    (tmp_path / "scoop.toml").write_text('embedding_url = "http://127.0.0.1:8844"\nembedding_model = "m"\n')
    environ = {"SCOOP_REDDIT_USER": "ann", "SCOOP_EMBEDDING_MODEL": "n"}
    for _ in range(2):
        found = config.load(environ, tmp_path).plugins
    assert found.tables["embedders"] == {"openai": {"base_url": "http://127.0.0.1:8844", "model": "m"}}
    assert found.variables["SCOOP_EMBEDDERS_OPENAI_MODEL"] == "n"
    assert capsys.readouterr().err.splitlines() == [
        "scoop: embedding_url in scoop.toml is the old name of base_url in [embedders.openai]; set that instead",
        "scoop: embedding_model in scoop.toml is the old name of model in [embedders.openai]; set that instead",
        "scoop: SCOOP_EMBEDDING_MODEL is the old name of SCOOP_EMBEDDERS_OPENAI_MODEL; set that instead",
        "scoop: SCOOP_REDDIT_USER is the old name of SCOOP_SOURCES_REDDIT_USER; set that instead",
    ]


@pytest.mark.parametrize(
    ("toml", "problem"),
    [
        ("[sources.tavly]\ndays = 5", r"\[sources.tavly\]: there is no kind of source 'tavly'; did you mean tavily\?"),
        ("[sources.tavily]\nday = 5", r"\[sources.tavily\]: there is no option day; did you mean days\?"),
        ("[sources.tavily]\ndays = 500", r"\[sources.tavily\]: option days: must be an integer, 1-365 \(is 500\)"),
        (
            "[channels]\nemail = 5",
            r"channels must be sections of plugins that begin with \[channels.NAME\]",
        ),
        ("sources = 5", r"must be tables that begin with \[\[sources\]\], or sections of plugins"),
    ],
)
def test_a_wrong_section_is_refused_with_what_there_is(toml, problem, tmp_path):
    (tmp_path / "scoop.toml").write_text(toml)
    with pytest.raises(ConfigError, match=problem):
        plugins.check_settings(config.load({}, tmp_path).plugins)


def test_a_mistyped_variable_of_a_plugin_is_named_with_the_nearest_one():
    settings = config.load({"SCOOP_SOURCES_TAVILY_APIKEY": "x"}, FOLDER).plugins
    assert list(plugins.unknown_variables(settings)) == [
        "SCOOP_SOURCES_TAVILY_APIKEY is not a setting and has no effect; did you mean SCOOP_SOURCES_TAVILY_API_KEY?"
    ]
