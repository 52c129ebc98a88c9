"""What the documentation shows is so: references are current, links lead on, examples parse, the tutorial runs."""

import asyncio
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from urllib.request import urlopen

import click
import pytest

import generate
from builders import scoop
from generator import commands, schema
from scoop import cli
from scoop.actions import curator_files
from scoop.config import Config
from scoop.stage_names import StageName

PROJECT = Path(__file__).parents[2]
REFERENCE = PROJECT / "docs" / "reference"
WRITTEN = [*PROJECT.glob("*.md"), *(PROJECT / "docs").rglob("*.md")]
TOLD = [page for page in WRITTEN if page != REFERENCE / "cli.md"]  # that one is the help, which has its own test
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"")
CALL = re.compile(r"`((?:SCOOP_\w+=\S+ )?scoop [^`]+)`")
NOT_OURS = {
    ".git", ".venv", "__pycache__", "build", "dist", ".hypothesis", ".import_linter_cache", ".mypy_cache",
    ".pytest_cache", ".ruff_cache",
}  # fmt: skip


def named(page: Path) -> str:
    return str(page.relative_to(PROJECT))


COMMANDS = list(commands.walk(cli.scoop, click.Context(cli.scoop, info_name="scoop")))


# The reference


@pytest.mark.parametrize(("name", "command"), [(name, command) for name, command, _ in COMMANDS])
def test_every_command_and_option_is_in_the_reference(name, command):
    page = (REFERENCE / "cli.md").read_text()
    section = page.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    assert section
    for option in command.params:
        if isinstance(option, click.Option) and not option.hidden:
            assert f"`{', '.join(option.opts)}" in section


@pytest.mark.parametrize("setting", [setting.name for setting in fields(Config)])
def test_every_setting_is_in_the_reference(setting):
    page = (REFERENCE / "settings.md").read_text()
    shown = {
        "sources": "only in the file",
        "topics": "only in the file",
        "named_secrets": "`SCOOP_SECRET_…`",
        "plugins": "one for each option",
        "tasks": "one for each option",
    }
    variable = shown.get(setting, f"`{'' if setting.startswith('np_') else 'SCOOP_'}{setting.upper()}`")
    assert f"| `{setting}` | {variable} |" in page


async def test_the_reference_pages_are_what_the_generator_makes(database):
    async with database.connection() as conn:
        wanted = generate.pages(await schema.schema_page(conn))
    assert [named(page) for page in generate.differing(wanted)] == []


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_the_list_of_commands_says_what_each_command_says_of_itself(name):
    command = cli.scoop.get_command(click.Context(cli.scoop), name)
    assert command.help.partition("\n")[0] == cli.COMMANDS[name]


# Links


@pytest.mark.parametrize("page", WRITTEN, ids=named)
def test_every_link_and_image_leads_somewhere(page):
    for target in (first or second for first, second in LINK.findall(FENCE.sub("", page.read_text()))):
        if "://" in target:
            continue
        path, _, fragment = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        assert not fragment or fragment in anchors(file), target


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


# Examples


def calls(line: str) -> Iterator[list[str]]:
    """The arguments of each `scoop` in a line of shell; what stands after two spaces is talk."""
    words = shlex.shlex(re.split(r"\s{2,}", line.strip())[0], posix=True, punctuation_chars=True)
    words.whitespace_split = True
    found: list[str] | None = None
    for word in words:
        if set(word) <= set("();<>|&"):
            if found is not None:
                yield found
            found = None
        elif found is not None:
            found.append(word)
        elif word == "scoop" or word.endswith("/bin/scoop"):
            found = []
    if found is not None:
        yield found


def resolved(arguments: list[str]) -> tuple[click.Command, click.Context, list[str]]:
    """The command that these arguments name, and what is left for it."""
    command, ctx = cli.scoop, click.Context(cli.scoop, info_name="scoop")
    rest = list(arguments)
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        below = command.get_command(ctx, rest[0])
        assert below is not None, f"scoop {' '.join(arguments)}: there is no command {rest[0]!r}"
        command, ctx = below, click.Context(below, info_name=rest.pop(0), parent=ctx)
    return command, ctx, rest


def parse(arguments: list[str]) -> None:
    command, ctx, rest = resolved(arguments)
    with suppress(click.exceptions.Exit):
        command.make_context(ctx.info_name, rest, parent=ctx.parent)


def examples(text: str) -> Iterator[str]:
    """The lines of shell in a page: its blocks, but for what is output."""
    for language, block in FENCE.findall(text):
        typed = re.sub(r"<<'?END'?\n.*?^END$", "", block, flags=re.DOTALL | re.MULTILINE)
        lines = typed.replace("\\\n", " ").splitlines()
        if language in {"sh", "crontab", "ini"}:
            yield from (line for line in lines if "scoop " in line and not line.startswith("Description="))
        elif language == "text":
            yield from (line.removeprefix("$ ") for line in lines if line.startswith("$ "))


@pytest.mark.parametrize("page", TOLD, ids=named)
def test_every_example_parses(page):
    for line in examples(page.read_text()):
        for arguments in calls(line):
            parse(arguments)


@pytest.mark.parametrize("page", TOLD, ids=named)
def test_every_command_named_in_the_text_exists_with_its_options(page):
    for text in CALL.findall(FENCE.sub("", page.read_text())):
        for arguments in calls(text):
            command, ctx, rest = resolved(arguments)
            known = {name for option in command.get_params(ctx) for name in (*option.opts, *option.secondary_opts)}
            if not command.context_settings.get("ignore_unknown_options"):
                assert {word for word in rest if word.startswith("-")} <= known, text


@pytest.mark.parametrize(("name", "command"), [(name, command) for name, command, _ in COMMANDS])
def test_every_example_in_the_help_parses(name, command):
    for paragraph in commands.help_paragraphs(command):
        if paragraph.startswith(commands.VERBATIM):
            lines = paragraph.splitlines()[2:]
            assert any(list(calls(line)) for line in lines)
            for line in lines:
                for arguments in calls(line):
                    parse(arguments)


# The tutorial


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A block of the tutorial: what is typed, how it ends, and the first line of what it shows."""

    script: str
    exits_with: int
    shows: str


def tutorial() -> list[Step]:
    blocks = FENCE.findall((PROJECT / "docs" / "tutorial.md").read_text())
    steps = []
    for (language, script), (following, output) in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        if language == "sh" and not script.startswith("make "):
            code = re.search(r"# exits with (\d+)", script)
            shows = output.partition("\n")[0] if following == "text" else ""
            steps.append(Step(script=script, exits_with=int(code[1]) if code else 0, shows=shows))
    return steps


def words(text: str) -> set[str]:
    """What of an output is the same every time: its words, without those that have digits or are cut off."""
    return {word for word in text.split() if not re.search(r"\d|…|─", word)}


@contextmanager
def up(environ: dict[str, str], folder: Path) -> Iterator[subprocess.Popen[str]]:
    """`scoop up`, from the moment that the page is there and all that was due is done."""
    with open(folder / "up.log", "w") as log:
        process = subprocess.Popen(
            ["scoop", "up"], env=environ, cwd=folder, stdout=log, stderr=subprocess.STDOUT, text=True
        )
    try:
        wait_until(lambda: "Scoop is up" in (folder / "up.log").read_text())
        wait_until(lambda: is_done(environ, folder))
        yield process
    finally:
        process.kill()
        process.wait()


def is_done(environ: dict[str, str], folder: Path) -> bool:
    stats = json.loads(in_shell("scoop stats --json", environ, folder).stdout)
    return stats["stories"] > 0 and not stats["work"]


def wait_until(is_so: Callable[[], bool], seconds: float = 180) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def in_shell(script: str, environ: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], env=environ, cwd=folder, capture_output=True, text=True, timeout=120
    )


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [listener.getsockname()[1] for listener in sockets]
    for listener in sockets:
        listener.close()
    return ports


@pytest.fixture
def environ(database_url, home) -> dict[str, str]:
    port, newsstand_port = free_ports(2)
    bare = {name: value for name, value in os.environ.items() if not name.startswith("SCOOP_")}
    return bare | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "SCOOP_HOME": str(home),
        "SCOOP_DATABASE_URL": database_url,
        "SCOOP_PORT": str(port),
        "SCOOP_NEWSSTAND_PORT": str(newsstand_port),
    }


async def test_the_tutorial_runs_as_it_is_written(environ, tmp_path):
    await asyncio.to_thread(follow_tutorial, environ, tmp_path)


def follow_tutorial(environ: dict[str, str], folder: Path) -> None:
    first, *rest = tutorial()
    assert first.script == "scoop up\n"
    with up(environ, folder) as running:
        assert words(first.shows) <= words((folder / "up.log").read_text())
        with urlopen(f"http://127.0.0.1:{environ['SCOOP_PORT']}/") as page:
            assert page.status == 200
        for step in rest:
            done = in_shell(step.script, environ, folder)
            assert done.returncode == step.exits_with, f"{step.script}\n{done.stdout}{done.stderr}"
            assert words(step.shows) <= words(done.stdout + done.stderr), step.script
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 0


def test_the_smallest_item_of_the_guide_is_a_good_one(database_url, home):
    page = (PROJECT / "docs" / "howto" / "ingest-your-own-items.md").read_text()
    item = next(block for language, block in FENCE.findall(page) if language == "json")
    done = scoop("ingest", "--items", "-", stdin=item.encode(), database_url=database_url, home=home)
    assert (done.returncode, done.stdout) == (0, "1 item read, 1 new, 0 refused (run 1)\n")


def test_the_interests_of_the_guide_are_good_ones():
    page = (PROJECT / "docs" / "howto" / "curators.md").read_text()
    written = next(block for language, block in FENCE.findall(page) if language == "toml")
    file = curator_files.parse(written)
    assert [each.priority for each in file.interests.topics] == ["high", "medium", "low"]
    assert file.settings == {"collections": ["ai_news", "world_news"]}
    inline = re.search(r"`(\{\"topics\".*?\})`", page)[1]
    assert curator_files.parse(inline).interests.max_articles == 3
    table = page.partition("| field |")[2].partition("A field")[0]
    named = {name for line in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall(r"\w+", line)}
    assert named == {*curator_files.SETTING_NAMES, "channels"}


# The project


@pytest.mark.parametrize("target", ["up", "test"])
def test_the_readme_names_the_two_commands_that_the_makefile_has(target):
    assert f"make {target}" in (PROJECT / "README.md").read_text()
    assert re.search(rf"^{target}:", (PROJECT / "Makefile").read_text(), re.MULTILINE)


def test_no_picture_is_large():
    assert all(image.stat().st_size < 300_000 for image in (PROJECT / "docs" / "images").glob("*.png"))


def test_no_file_names_a_folder_of_this_machine_or_a_package_index():
    machine = re.compile(rb"(?<![\w.}/-])/(?:work|root)(?![\w-])")
    index = re.compile("|".join(["pypi" + r"\.org", "python" + "hosted", "--(?:extra-)?" + "index-url"]).encode())
    for file in project_files():
        found = machine.search(file.read_bytes()) or index.search(file.read_bytes())
        assert not found, f"{named(file)}: {found[0] if found else ''}"


def project_files() -> Iterator[Path]:
    for folder, below, names in os.walk(PROJECT):
        below[:] = [name for name in below if name not in NOT_OURS]
        yield from (Path(folder) / name for name in names)


def test_the_glossary_names_every_stage_with_its_subject():
    glossary = (PROJECT / "docs" / "glossary.md").read_text()
    stages_by_subject = {
        name.subject: [each for each in StageName if each.subject == name.subject] for name in StageName
    }
    assert ", ".join(f"`{name}`" for name in StageName) in glossary
    for subject, stages in stages_by_subject.items():
        assert f"{subject} ({', '.join(f'`{name}`' for name in stages)})" in glossary
