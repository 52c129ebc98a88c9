"""Voice plugins, one file each: sentences to sound."""

from collections.abc import Sequence
from typing import Protocol

from scoop.core.audio import SpokenSentence


class Voice(Protocol):
    """Speaks English sentences; made with its options and the HTTP client.

    `waits`: it waits for the network. `model` (of an instance) is stored with its recordings: the same name, model and
    speed give the same sound. A sentence without a word in it may be given as silence of no length. Transient failures
    are a Retry; Reject says that these sentences can never be spoken. `close` ends the processes of the voice.
    `peak_memory`: the most memory that its process has taken so far, in bytes; None if it is not measured.
    """

    name: str
    waits: bool
    peak_memory: int | None

    @property
    def model(self) -> str: ...

    async def speak(self, sentences: Sequence[str], *, speed: float) -> list[SpokenSentence]: ...

    async def close(self) -> None: ...
