"""Settings that have names of their own: the modes of a move, and the secrets that channels name."""

from pathlib import Path

import pytest

from scoop import config
from scoop.errors import ConfigError

FOLDER = Path("/nowhere")


def test_channels_find_their_secrets_by_name(tmp_path):
    (tmp_path / "url").write_text("https://discord.com/api/webhooks/1/canary\n")
    environ = {"SCOOP_SECRET_MAIL_PASSWORD": "hunter2", "SCOOP_SECRET_AI_WEBHOOK_FILE": str(tmp_path / "url")}
    found = config.load(environ, FOLDER)
    assert found.secrets == {"mail_password": "hunter2", "ai_webhook": "https://discord.com/api/webhooks/1/canary"}
    assert "hunter2" not in repr(found)
    assert "canary" not in repr(found)


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
