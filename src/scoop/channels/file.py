"""The file channel: writes the digest into a folder."""

import asyncio
import os
from pathlib import Path
from typing import Literal

from scoop.channels import Errand, Mark, NotSent, http, whole
from scoop.core.plugin_types import PluginOptions
from scoop.core.rendering import mail, markdown
from scoop.model import Digest, DigestPart, Post

ENDINGS = {"markdown": "md", "html": "html", "json": "json"}


class File:
    """A file in a folder of this machine, one for each topic and date, as ai_news-2026-11-15.md.

    The folder is created if it does not exist. A file appears complete or not at all.
    """

    name = "file"
    access = "admin"
    finds = False
    repeats = True

    class Options(PluginOptions, frozen=True, kw_only=True):
        """The folder and the format.

        `folder`: an absolute path, or one that begins with ~ for your home.
        `format`: the format of the file.
        """

        folder: str = ""
        format: Literal["markdown", "html", "json"] = "markdown"

        def __post_init__(self) -> None:
            if not self.folder.startswith(("/", "~")) or "\0" in self.folder:
                raise ValueError("give the option folder: an absolute path, as /srv/digests or ~/digests")

    def __init__(self, options: Options) -> None:
        self._options = options

    def parts(self, digest: Digest, mark: Mark) -> list[DigestPart]:
        if self._options.format == "json":
            return [whole.part(digest, mark)]
        render = markdown.render if self._options.format == "markdown" else mail.html
        return [DigestPart(payload=render(digest), story_ids=whole.story_ids(digest.tellings))]

    async def send(self, post: Post, _errand: Errand) -> str:
        return await asyncio.to_thread(self._write, post, post.payload.encode())

    async def find(self, _post: Post, _errand: Errand) -> str | None:
        return None

    async def edit(self, post: Post, _errand: Errand) -> None:
        _, content = http.correction(post)
        await asyncio.to_thread(self._write, post, content)

    def _write(self, post: Post, content: bytes) -> str:
        """Write the post's file and return its path."""
        try:
            folder = Path(self._options.folder).expanduser()
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"{_name(post)}.{ENDINGS[self._options.format]}"
            _replace(path, content, draft=folder / f".{path.name}.{post.marker}")
        except (OSError, RuntimeError) as error:  # RuntimeError: no home for ~
            raise NotSent(f"{self._options.folder} cannot be written to: {error}") from error
        return str(path)


def _name(post: Post) -> str:
    # Messages about alerts have no date of their own: each gets its own file.
    name = f"{post.topic_slug}-{post.run_date.isoformat()}"
    return name if post.digest_run_id is not None else f"{name}-alerts-{post.marker}"


def _replace(path: Path, content: bytes, *, draft: Path) -> None:
    """Write the file so that it is complete or absent, also after a power failure."""
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
