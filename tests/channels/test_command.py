"""A program of one's own: what it gets, what its end means, and that nothing of it is left when it takes too long."""

import json
import os
import sys
import time
import unicodedata
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from channels.posts import CANARY, MARKER, a_digest, a_post, an_errand, failure
from scoop.channels import DeliveryRefused, NotSent, Unknown
from scoop.channels.command import Command


def a_command(*words: str, **options) -> Command:
    return Command(Command.Options(command=words, **options))


def python(code: str, **options) -> Command:
    return a_command(sys.executable, "-c", f"import os, sys, time\n{code}", **options)


async def test_the_program_gets_the_digest_and_names_the_message():
    shell = a_command("/bin/sh", "-c", "cat >&2; echo ' msg-1 '; echo more")
    assert await shell.send(a_post(), an_errand()) == "msg-1"


async def test_the_program_reads_the_post_and_knows_which_one_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv("SCOOP_DISCORD_BOT_TOKEN", CANARY)
    seen = tmp_path / "seen.json"
    program = python(f"import json; json.dump([sys.stdin.read(), dict(os.environ)], open({str(seen)!r}, 'w'))")
    assert await program.send(a_post(), an_errand()) == MARKER
    given, environment = json.loads(seen.read_text())
    assert given == a_post().payload
    assert environment["SCOOP_POST_KEY"] == a_post().key
    assert environment["SCOOP_POST_MARKER"] == MARKER
    assert set(environment) - {"LC_CTYPE"} <= {"PATH", "HOME", "LANG", "SCOOP_POST_KEY", "SCOOP_POST_MARKER"}
    assert CANARY not in seen.read_text()


@pytest.mark.parametrize(
    ("script", "meaning", "told"),
    [
        ("echo first >&2; echo 'not now' >&2; exit 75", NotSent, "ended with 75: not now"),
        ("echo 'no such channel' >&2; exit 1", DeliveryRefused, "ended with 1: no such channel"),
        ("exit 2", DeliveryRefused, "ended with 2"),
        ("kill -9 $$", Unknown, "ended with -9"),
    ],
)
async def test_each_end_has_one_meaning(script, meaning, told):
    error = await failure(a_command("/bin/sh", "-c", script).send(a_post(), an_errand()))
    assert type(error) is meaning
    assert told in str(error)


@pytest.mark.parametrize("program", ["/nowhere/program", "no-such-program", "/etc/passwd", "/"])
async def test_a_program_that_cannot_be_run_says_so(program):
    error = await failure(a_command(program).send(a_post(), an_errand()))
    assert (type(error), error.is_dead) == (DeliveryRefused, False)
    assert f"{program} cannot be run" in str(error)


async def test_a_program_that_takes_too_long_is_ended_with_all_that_it_started(tmp_path):
    pid = tmp_path / "pid"
    slow = a_command("/bin/sh", "-c", f"sleep 60 & echo $! > {pid}; wait", timeout=1)
    error = await failure(slow.send(a_post(), an_errand()))
    assert type(error) is Unknown
    assert "longer than 1 seconds" in str(error)
    assert not is_running(int(pid.read_text()))


def is_running(pid: int) -> bool:
    """Whether a process is neither gone nor merely waiting to be buried."""
    for _ in range(50):
        with suppress(OSError):
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
                time.sleep(0.02)
                continue
        return False
    return True


async def test_a_child_that_goes_on_in_the_background_is_not_waited_for(tmp_path):
    pid = tmp_path / "pid"
    daemon = a_command("/bin/sh", "-c", f"sleep 60 & echo $! > {pid}; echo msg-2", timeout=30)
    assert await daemon.send(a_post(), an_errand()) == "msg-2"
    os.kill(int(pid.read_text()), 9)


async def test_a_program_that_reads_nothing_and_says_very_much_does_no_harm():
    loud = python("print('msg-3'); sys.stdout.write('x' * 5_000_000); sys.stderr.write('y\\n' * 1_000_000)")
    assert await loud.send(a_post(payload="z" * 1_000_000), an_errand()) == "msg-3"
    failing = python("sys.stderr.write('y\\n' * 100_000 + 'the reason\\n'); sys.exit(3)")
    assert "the reason" in str(await failure(failing.send(a_post(), an_errand())))


@pytest.mark.parametrize(
    "wrong", [{}, {"command": []}, {"command": [""]}, {"command": ["x"], "timeout": 0}, {"command": ["a\0b"]}]
)
def test_wrong_options_are_refused(wrong):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(wrong, Command.Options)


def test_whether_a_post_may_be_repeated_is_the_operators_word():
    assert not a_command("x").repeats
    assert a_command("x", repeats=True).repeats


async def test_what_a_program_posted_cannot_be_changed():
    assert type(await failure(a_command("true").edit(a_post(), an_errand()))) is DeliveryRefused


def test_a_digest_is_told_whole():
    (part,) = a_command("x").parts(a_digest(), lambda number: f"marker{number}")
    assert json.loads(part.payload)["marker"] == "marker1"


@settings(max_examples=15, deadline=None)
@given(st.binary(max_size=300).filter(lambda said: b"\0" not in said), st.sampled_from([0, 1, 75, 255]))
async def test_whatever_a_program_says_it_is_an_id_or_an_error_in_one_line(said, code):
    program = a_command("/bin/sh", "-c", f'printf %s "$1"; printf %s "$1" >&2; exit {code}', "sh", os.fsdecode(said))
    try:
        told = await program.send(a_post(), an_errand())
        assert 0 < len(told) <= 200
    except (NotSent, DeliveryRefused) as error:
        told = str(error)
    assert told.splitlines() == [told]
    assert not any(unicodedata.category(sign) in {"Cc", "Cs"} for sign in told)
