"""The command voice: a program of the operator speaks."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import msgspec

from scoop.core.audio import SpokenSentence, mp3
from scoop.core.plugin_types import PluginOptions
from scoop.errors import ConfigError, Retry
from scoop.fetch import child_process
from scoop.fetch.client import Client

NORMAL_RATE = 165  # words a minute, for programs that want them
OUTPUT, SPEED, RATE = "{output}", "{speed}", "{rate}"
ESPEAK = ("espeak-ng", "-v", "en-us", "-s", RATE, "-w", OUTPUT, "--stdin")


class VoiceProgram:
    """A program on this machine: espeak-ng unless another is set, such as piper or say.

    It reads one sentence on standard input and writes sound to the file that stands for `{output}`: WAV, FLAC, OGG or
    MP3. `{speed}` becomes the speed, 1 for the normal one, and `{rate}` the same as words a minute. It runs in a
    process of its own with PATH, HOME and LANG as its environment, so that programs under any licence can be used.
    """

    name = "command"
    access = "cli"
    waits = False
    peak_memory: int | None = None

    class Options(PluginOptions, frozen=True, kw_only=True):
        """The program.

        `command`: the program and its arguments, as a list; it is not run by a shell.
        `model`: a name for the voice; after a change new recordings are made.
        `timeout`: the number of seconds for one sentence, after which the program is ended.
        """

        command: tuple[str, ...] = ESPEAK
        model: str = "espeak-ng en-us"
        timeout: Annotated[int, msgspec.Meta(ge=1, le=600)] = 30

    def __init__(self, options: Options, _client: Client) -> None:
        if not any(OUTPUT in word for word in options.command):
            raise ConfigError(
                "the command of the voice must name {output}, the file it writes: set SCOOP_VOICES_COMMAND_COMMAND"
            )
        self.model = options.model
        self._options = options

    async def speak(self, sentences: Sequence[str], *, speed: float) -> list[SpokenSentence]:
        with TemporaryDirectory(prefix="scoop-voice-") as folder:
            return [await self._speak(sentence, Path(folder) / "sentence.wav", speed) for sentence in sentences]

    async def _speak(self, sentence: str, output: Path, speed: float) -> SpokenSentence:
        program, within = self._options.command[0], timedelta(seconds=self._options.timeout)
        command = [_filled(word, output, speed) for word in self._options.command]
        try:
            ended = await child_process.run(command, variables={}, within=within, stdin=sentence.encode())
        except TimeoutError as error:
            raise Retry(f"{program} took longer than {self._options.timeout} seconds and was ended") from error
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise Retry(f"{program} cannot be run: {reason}; install it or set SCOOP_VOICES_COMMAND_COMMAND") from error
        if ended.exit_code != 0:
            raise Retry(f"{program} ended with {ended.exit_code}: {ended.last_error}")
        try:
            data = await asyncio.to_thread(output.read_bytes)
            samples, sample_rate = await asyncio.to_thread(mp3.decode, data)
            await asyncio.to_thread(output.unlink)
        except (OSError, ValueError) as error:
            raise Retry(f"{program} wrote no sound to its output: {error}") from error
        return SpokenSentence(samples=samples, sample_rate=sample_rate)

    async def close(self) -> None:
        """Its programs ended with their sentences."""


def _filled(word: str, output: Path, speed: float) -> str:
    rate = str(round(NORMAL_RATE * speed))
    return word.replace(OUTPUT, str(output)).replace(SPEED, f"{speed:.2f}").replace(RATE, rate)
