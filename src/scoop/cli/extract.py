"""`scoop extract`: show the article on a page."""

import sys
import textwrap
import zlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from multiprocessing import get_context
from typing import IO

import click

from scoop.cli import console, runtime
from scoop.config import Config
from scoop.errors import InputError, ScoopError
from scoop.model import ArticlePage

GZIP_MARK = b"\x1f\x8b"
MIN_FOR_PROCESSES = 200  # targets; with fewer, starting processes takes longer than it saves
BATCH = 16  # targets per task of a process
LINE_WIDTH = 88
UNREADABLE = "unreadable: "  # prefix of the problem of a target that could not be read


@click.command()
@click.argument("targets", metavar="TARGET...", nargs=-1, required=True)
@click.option("--url", metavar="BASE", help="The address that the pages of files and standard input come from.")
@console.as_json
@click.pass_obj
def command(config: Config, targets: tuple[str, ...], url: str | None, as_json: bool) -> None:
    """Show the article on a page: title, authors, date and text.

    TARGET is a file (gzip is recognised), - for standard input, or a URL that is fetched. With --json, every target
    gives one line, in order; `problem` names the reason if there is no article: paywall, login, consent, bot_check,
    script_only, error_page, empty, short, too_complex, not_html, or unreadable with the error.

    \b
    Examples:
      scoop extract page.html
      scoop extract --json saved/*.html.gz
      curl -s https://example.com/a | scoop extract - --url https://example.com/a
      scoop extract https://example.com/2026/11/some-article
    """
    is_readable = True
    for target, page in zip(targets, _pages(config, targets, url), strict=True):
        is_readable = is_readable and not (page.problem or "").startswith(UNREADABLE)
        if as_json:
            console.print_json_lines([{"target": target, **asdict(page)}])
        else:
            _show(target, page)
    sys.exit(0 if is_readable else 1)


def _pages(config: Config, targets: tuple[str, ...], url: str | None) -> Iterator[ArticlePage]:
    read = partial(_page, config=config, url=url)
    if len(targets) < MIN_FOR_PROCESSES or "-" in targets:
        yield from map(read, targets)
        return
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        yield from pool.map(read, targets, chunksize=BATCH)


def _page(target: str, *, config: Config, url: str | None) -> ArticlePage:
    from scoop.fetch import articles

    try:
        if target.startswith(("http://", "https://")):
            return runtime.run(_fetched(config, target))
        return articles.extract(_content(target), url=url)
    except ScoopError as error:
        return ArticlePage(problem=f"{UNREADABLE}{error}")


async def _fetched(config: Config, url: str) -> ArticlePage:
    from scoop.app import open_client
    from scoop.fetch import articles

    async with open_client(config) as client:
        response = await client.get(url, typed_url=url)
    if response.status != 200:
        raise InputError(f"{response.url} answered {response.status}")
    return articles.extract(response.body, url=response.url, content_type=response.headers.get("Content-Type", ""))


def _content(target: str) -> bytes:
    try:
        if target == "-":
            return _unpacked(sys.stdin.buffer)
        with open(target, "rb") as file:
            return _unpacked(file)
    except (OSError, EOFError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{target}: {reason.lower()}") from error


def _unpacked(file: IO[bytes]) -> bytes:
    """The content, decompressed; reading stops one byte above the limit, so that a gzip bomb stays small."""
    from scoop.fetch.articles import MAX_RAW_BYTES

    content = file.read(MAX_RAW_BYTES + 1)
    if not content.startswith(GZIP_MARK):
        return content
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    unpacked = unpacker.decompress(content, MAX_RAW_BYTES + 1)
    if not unpacker.eof and len(unpacked) <= MAX_RAW_BYTES:
        raise EOFError("the gzip file ends too early")
    return unpacked


def _show(target: str, page: ArticlePage) -> None:
    click.secho(page.title or target, bold=True)
    day = page.published_at.strftime("%Y-%m-%d %H:%M %Z") if page.published_at else ""
    click.echo(" · ".join(filter(None, (", ".join(page.authors), day, page.language, page.canonical_url))))
    if page.problem:
        click.secho(f"no complete article: {page.problem}", fg="yellow")
    for paragraph in page.text.split("\n\n"):
        click.echo()
        click.echo(textwrap.fill(paragraph, LINE_WIDTH, break_long_words=False, break_on_hyphens=False))
    click.echo()
