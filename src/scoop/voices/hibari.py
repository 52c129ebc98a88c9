"""The hibari voice: a small neural voice inside Scoop."""

import asyncio
import importlib.util
import resource
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from scoop.core.audio import SpokenSentence
from scoop.core.audio.word_times import SaidWord, align
from scoop.core.plugin_types import PluginOptions
from scoop.errors import ConfigError, Reject, Retry
from scoop.fetch.client import Client
from scoop.fetch.sandbox import Limits, Sandbox, SandboxExceeded

PACKAGE = "hibari"
LIMITS = Limits(memory_bytes=1 << 30, seconds=120.0, tasks_before_renewal=500)  # 230 MB, and a minute of sound a second
IDLE_SECONDS = 60.0  # after which the process ends: its memory is more than the half second to start it
SAMPLE_RATE = 24_000
DURATION_SAMPLES = 600  # of one unit of the durations in the graph
MAX_PHONEMES = 400  # that the model sees at once; longer sentences are spoken clause by clause
MAX_TOKENS = 80  # of a clause that no comma ends
MIN_IDS = 3  # one phoneme between the two pauses
CLAUSE_ENDS = frozenset(",;:—")
DURATIONS = b"/Cast_32_output_0"  # the tensor of the graph with the duration of each phoneme
SEED = 0  # of the noise in breath and fricatives: the same sentence always sounds the same


class Hibari:
    """A neural voice inside the program: no service, no key, American English.

    It speaks a hundred times faster than it is heard, in a process of its own that takes 230 MB while it is used. Times
    of sentences and words are exact: they are read from the model. It cannot speak other languages.
    """

    name = "hibari"
    access = "cli"
    waits = False
    model = "heart-0.2.1"
    peak_memory: int | None = None

    class Options(PluginOptions, frozen=True, kw_only=True):
        """It has no options."""

    def __init__(self, _options: Options, _client: Client) -> None:
        if importlib.util.find_spec(PACKAGE) is None:
            raise ConfigError(
                "the voice hibari is not installed: install the pinned packages (make setup) or, where there is none "
                "for the machine, set voice (SCOOP_VOICE) to command, openai or none"
            )
        self._sandbox = Sandbox(LIMITS)
        self._texts = 0  # that are spoken now
        self._ending: asyncio.TimerHandle | None = None

    async def speak(self, sentences: Sequence[str], *, speed: float) -> list[SpokenSentence]:
        with self._keep_process():
            try:
                spoken, self.peak_memory = await self._sandbox.run(_speak_measured, list(sentences), speed)
            except SandboxExceeded as error:
                raise Retry(f"the process of the voice was ended: {error}") from error
        if not any(len(sentence.samples) for sentence in spoken):
            raise Reject("there is no English word in the text: the voice hibari speaks English only")
        return spoken

    @contextmanager
    def _keep_process(self) -> Iterator[None]:
        """Let the process end a while after the last text: a text whose process ends would never be finished."""
        if self._ending is not None:
            self._ending.cancel()
        self._texts += 1
        try:
            yield
        finally:
            self._texts -= 1
            if not self._texts:
                self._ending = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._sandbox.close)

    async def close(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
        await asyncio.to_thread(self._sandbox.close)


# In the process of the voice


def _speak_measured(sentences: Sequence[str], speed: float) -> tuple[list[SpokenSentence], int]:
    """The sentences, and the most memory that this process has taken so far, in bytes."""
    return speak_sentences(sentences, speed), _peak_memory()


def _peak_memory() -> int:
    if sys.platform != "linux":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # getrusage of Linux also counts the process that this one was started by.
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) << 10  # kB


def speak_sentences(sentences: Sequence[str], speed: float) -> list[SpokenSentence]:
    """Speak sentences in this process."""
    return [_speak(sentence, speed) for sentence in sentences]


def _speak(sentence: str, speed: float) -> SpokenSentence:
    from hibari import dsp
    from hibari.g2p.normalize import normalize

    engine = _engine()
    rng, sounds, said, position = np.random.default_rng(SEED), [np.zeros(0, np.float32)], list[SaidWord](), 0
    tokens = engine.g2p.phonemize_tokens(engine.g2p.tokenize(normalize(sentence)))
    for chunk in _chunks(tokens):
        ids = engine.ids("".join(map(_phonemes, chunk)).strip())
        if len(ids) < MIN_IDS:
            continue
        inputs = {"ids": np.asarray([ids], np.int64), "speed": np.asarray([speed], np.float32)}
        *spectra, durations = engine.sess.run(None, inputs)
        sounds.append(dsp.synth(*(spectrum[0] for spectrum in spectra), rng))
        said += _said_words(chunk, engine.vocab, np.cumsum(durations) * DURATION_SAMPLES + position)
        position += len(sounds[-1])
    return SpokenSentence(samples=np.concatenate(sounds), sample_rate=SAMPLE_RATE, words=align(sentence, said))


def _phonemes(token: Any) -> str:
    return (token.phonemes or "") + (" " if token.whitespace else "")


def _chunks(tokens: Sequence[Any]) -> Iterator[list[Any]]:
    """The tokens of a sentence in parts that the model can speak: whole clauses, as many as fit."""
    chunk: list[Any] = []
    for clause in _clauses(tokens):
        if chunk and sum(len(_phonemes(token)) for token in [*chunk, *clause]) > MAX_PHONEMES:
            yield chunk
            chunk = []
        chunk += clause
    yield chunk


def _clauses(tokens: Sequence[Any]) -> Iterator[list[Any]]:
    clause: list[Any] = []
    for token in tokens:
        clause.append(token)
        if (token.phonemes or "")[-1:] in CLAUSE_ENDS or len(clause) >= MAX_TOKENS:
            yield clause
            clause = []
    yield clause


def _said_words(tokens: Sequence[Any], vocabulary: dict[str, int], ends: Any) -> Iterator[SaidWord]:
    """The words of a chunk, from space to space; `ends` has the last sample of each phoneme, after that of a pause."""
    text, first, place = "", 1, 1
    for token in tokens:
        text += token.text
        place += sum(phoneme in vocabulary for phoneme in token.phonemes or "")
        if token.whitespace or token is tokens[-1]:
            if place > first:
                yield SaidWord(text=text, start_ms=_ms(ends[first - 1]), end_ms=_ms(ends[place - 1]))
            place += bool(token.whitespace) and " " in vocabulary
            text, first = "", place


def _ms(samples: Any) -> int:
    return int(samples) * 1000 // SAMPLE_RATE


@cache
def _engine() -> Any:
    """The engine of this process, with a model that gives the durations of phonemes as well."""
    from hibari import Hibari as Engine

    return Engine(model=_with_durations())


def _with_durations() -> bytes:
    """The model with one more output: a protobuf message is extended by what is appended to it."""
    graph = resources.files(PACKAGE).joinpath("assets/hibari.onnx").read_bytes()
    output = _field(1, DURATIONS)  # ValueInfoProto.name
    return graph + _field(7, _field(12, output))  # ModelProto.graph, GraphProto.output


def _field(number: int, content: bytes) -> bytes:
    """A field of a protobuf message that is shorter than 128 bytes."""
    return bytes([number << 3 | 2, len(content)]) + content
