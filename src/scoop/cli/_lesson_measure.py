"""`scoop lessons measure`: the level of a text, and the rules of a level that it breaks."""

import sys
import textwrap
from dataclasses import asdict
from pathlib import Path

import click

from scoop.cli import console
from scoop.core.levels import check, measure
from scoop.core.levels.check import BrokenRule
from scoop.core.levels.measure import LevelMeasurement
from scoop.core.levels.rules import LEVELS, Level
from scoop.errors import InputError

SHOWN = 12  # hard words
MOST_OF_SENTENCE = 400  # characters


@click.command("measure")
@click.argument("file", metavar="FILE")
@click.option("--level", type=click.Choice(LEVELS, case_sensitive=False), help="Also check the rules of this level.")
@console.as_json
def command(file: str, level: Level | None, as_json: bool) -> None:
    """Measure the level of an English text, A1 to C2, with the reasons.

    FILE is a text file, or - for standard input. With --level the rules that a lesson of that level must meet are
    checked too. Exit code 1: the text has no level, or breaks a rule that lessons must meet.

    \b
    Examples:
      scoop lessons measure text.txt
      scoop lessons measure text.txt --level B1
      pbpaste | scoop lessons measure - --json
    """
    text = _read(file)
    measured = measure.measure(text)
    broken = check.check(text, level) if level else ()
    if as_json:
        console.print_json({**asdict(measured), "broken_rules": [asdict(one) for one in broken]})
    else:
        _show(text, measured, broken)
    sys.exit(1 if measured.level is None or any(one.is_required for one in broken) else 0)


def _read(file: str) -> str:
    try:
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {file}: {(error.strerror or str(error)).lower()}") from error
    return content.decode("utf-8-sig", "replace")


def _show(text: str, measured: LevelMeasurement, broken: tuple[BrokenRule, ...]) -> None:
    if measured.level:
        click.echo(f"{measured.level} (score {measured.score:.2f} of 6), {measured.words:,} words")
    for reason in measured.reasons:
        click.echo(f"- {reason}")
    if measured.hard_words:
        named = dict.fromkeys(f"{word.text} ({word.level})" for word in measured.hard_words)
        click.echo(f"Words above {measured.level}: {', '.join(list(named)[:SHOWN])}")
    for one in broken:
        click.echo(f"{'Must' if one.is_required else 'Should'} change: {one.message}")
    if measured.sentences:
        hardest = max(measured.sentences, key=lambda one: one.score)
        sentence = textwrap.shorten(text[hardest.start : hardest.end], MOST_OF_SENTENCE, placeholder=" …")
        click.echo(f"Hardest sentence ({hardest.level}): {sentence}")
