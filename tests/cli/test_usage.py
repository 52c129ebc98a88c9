"""What a wrong command line is answered with, and which spellings are accepted."""

import pytest

from builders import scoop
from scoop.cli import console, usage

NOBODY_LISTENS = "postgresql://127.0.0.1:1/scoop"


@pytest.mark.parametrize(
    ("arguments", "message", "see"),
    [
        (["storis"], "there is no command 'storis'; did you mean stories?", "-"),
        (["start"], "there is no command 'start'; did you mean up?", "-"),
        (["frobnicate"], "there is no command 'frobnicate'", "-"),
        (["--vrsion"], "there is no option --vrsion; did you mean --version?", "-"),
        (["sources", "lst"], "scoop sources has no command 'lst'; did you mean list?", "sources"),
        (["topics", "rules", "ad"], "scoop topics rules has no command 'ad'; did you mean add?", "topics rules"),
        (["stories", "--lmit", "3"], "scoop stories has no option --lmit; did you mean --limit?", "stories"),
        (["stories", "--limit"], "--limit needs a value", ""),
        (["stories", "--json=1"], "--json takes no value", ""),
        (["stories", "--limit", "0"], "--limit is '0'; it must be a whole number from 1 to 10,000", "stories"),
        (["stories", "--limit", "x"], "--limit is 'x'; it must be a whole number from 1 to 10,000", "stories"),
        (["stories", "--since", "x"], "--since is 'x'; it must be a date, as 2026-11-15", "stories"),
        (["stories", "x"], "scoop stories takes no further argument: x", "stories"),
        (["completion", "csh"], "SHELL is 'csh'; it must be one of bash, zsh, fish", "completion"),
        (["help", "sources", "ad"], "scoop sources has no command 'ad'; did you mean add?", "sources"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_a_mistyped_command_option_or_value_is_answered_with_what_was_meant(arguments, message, see):
    done = scoop(*arguments, database_url=NOBODY_LISTENS)
    where = f"scoop help {see}".removesuffix(" -")
    following = f"{' See' if message.endswith('?') else '; see'}: {where}" if see else ""
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"scoop: {message}{following}\n")


@pytest.mark.parametrize(
    ("arguments", "current"),
    [
        (["enable", "--off", "a"], ["disable", "a"]),
        (["enable", "a", "--off", "--json"], ["disable", "a", "--json"]),
        (["enable", "a"], ["enable", "a"]),
        (["channel", "add"], ["channels", "add"]),
        ([], []),
    ],
)
def test_an_old_spelling_becomes_the_current_one(arguments, current):
    aliases = {"enable --off": "disable", "channel": "channels"}
    assert usage.current_spelling(arguments, aliases) == current


@pytest.mark.parametrize("names", [["sources", "ls"], ["users", "ls"], ["sources", "rm", "--help"]])
def test_habits_from_other_programs_are_understood_and_not_in_the_help(names, database_url):
    assert scoop(*names, database_url=database_url).returncode == 0
    assert f"  {names[1]} " not in scoop("help", names[0]).stdout


@pytest.mark.parametrize(
    ("typed", "meant"), [("5,294", "5294"), ("5294", "5294"), ("1,2", "1,2"), ("https://a.example/1,294", None)]
)
def test_an_id_with_grouped_digits_is_accepted(typed, meant):
    assert console.ungrouped(typed) == (meant or typed)


def test_a_quiet_command_prints_no_notice_and_a_verbose_one_logs(database_url):
    assert "there are no stories yet" in scoop("stories", database_url=database_url).stderr
    assert scoop("-q", "stories", database_url=database_url).stderr == ""
    assert scoop("stories", "--quiet", database_url=database_url).stderr == ""
    for arguments in (["-v", "stories"], ["stories", "-v"]):
        assert '"event": "connected"' in scoop(*arguments, database_url=database_url).stderr
