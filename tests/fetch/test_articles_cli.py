"""`scoop extract`."""

import gzip
import json
from pathlib import Path

from click.testing import CliRunner, Result

from scoop.cli.extract import command
from scoop.config import Config

TEXT = "The ferry to the outer islands will run all winter for the first time, the county decided on Monday. " * 4
PAGE = (
    '<html lang="en"><head><title>Ferry all winter</title><meta name="author" content="Ida Fenn">'
    f'<link rel="canonical" href="/ferry"></head><body><article><p>{TEXT}</p></article></body></html>'
).encode()


def run(*arguments: str | Path, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments], input=stdin, obj=Config())


def lines(result: Result) -> list[dict[str, object]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_one_line_for_each_target_in_order(tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.html", tmp_path / "b"
    plain.write_bytes(PAGE)
    packed.write_bytes(gzip.compress(PAGE.replace(b"Ferry", b"Bus")))
    result = run("--json", plain, packed, "-", "--url", "https://islandpost.example/", stdin=PAGE)
    assert result.exit_code == 0
    assert [line["target"] for line in lines(result)] == [str(plain), str(packed), "-"]
    assert [line["title"] for line in lines(result)] == ["Ferry all winter", "Bus all winter", "Ferry all winter"]
    assert lines(result)[0] == {
        "target": str(plain),
        "title": "Ferry all winter",
        "text": TEXT.strip(),
        "authors": ["Ida Fenn"],
        "published_at": None,
        "language": "en",
        "canonical_url": "https://islandpost.example/ferry",
        "image_url": None,
        "problem": None,
    }


def test_what_cannot_be_read_has_its_line_and_the_others_go_on(tmp_path: Path) -> None:
    good, cut = tmp_path / "a.html", tmp_path / "b.gz"
    good.write_bytes(PAGE)
    cut.write_bytes(gzip.compress(PAGE)[:-20])
    missing = tmp_path / "missing.html"
    result = run("--json", missing, tmp_path, cut, "http://127.0.0.1:9/", good)
    problems = [str(line["problem"]) for line in lines(result)]
    assert result.exit_code == 1
    assert all(problem.startswith("unreadable: ") for problem in problems[:4])
    assert "no such file" in problems[0]
    assert "private address" in problems[3]
    assert lines(result)[4]["title"] == "Ferry all winter"


def test_a_page_with_a_problem_was_read(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_bytes(b"<html><title>Just a moment...</title><body></body></html>")
    result = run("--json", page)
    assert (result.exit_code, lines(result)[0]["problem"]) == (0, "bot_check")


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.gz"
    bomb.write_bytes(gzip.compress(b"<html><title>Boom</title><body>" + b" " * (40 << 20)))
    assert lines(run("--json", bomb))[0]["problem"] == "too_complex"


def test_people_get_something_to_read(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_bytes(PAGE)
    shown = run(page).stdout.splitlines()
    assert shown[:2] == ["Ferry all winter", "Ida Fenn · en"]
    assert max(map(len, shown)) <= 88
