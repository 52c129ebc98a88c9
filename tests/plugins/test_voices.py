"""What every voice promises, and what becomes of programs and servers that do not speak."""

import asyncio
import importlib.util
import io
import os
import signal
import sys
import time

import numpy as np
import pytest
import soundfile
import structlog
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from plugins.raw_server import sending
from scoop import app, plugins, voices
from scoop.config import Config
from scoop.errors import ConfigError, Reject, Retry
from scoop.fetch.client import open_client
from scoop.fetch.sandbox import Limits, Sandbox
from scoop.serve import serving
from scoop.voices.command import VoiceProgram
from scoop.voices.hibari import LIMITS, Hibari
from scoop.voices.openai import SpeechServer

HIBARI = Hibari(Hibari.Options(), None)  # one for all tests: to start it takes seconds
SENTENCES = ["The bridge is closed.", "Dr. Smith paid $3.2 billion at 9:30 a.m., they say."]
BEEP = """
import sys, math, struct, wave
text, output, speed = sys.stdin.read(), sys.argv[1], float(sys.argv[2])
with wave.open(output, "wb") as sound:
    sound.setnchannels(1), sound.setsampwidth(2), sound.setframerate(22050)
    count = int(22050 * 0.05 * len(text) / speed)
    sound.writeframes(b"".join(struct.pack("<h", int(9000 * math.sin(i / 8))) for i in range(count)))
"""


def program(source: str, *arguments: str, **options) -> VoiceProgram:
    return VoiceProgram(VoiceProgram.Options(command=(sys.executable, "-c", source, *arguments), **options), None)


def tone(seconds: float) -> bytes:
    target = io.BytesIO()
    soundfile.write(target, np.sin(np.arange(int(24000 * seconds)) / 9).astype(np.float32) / 2, 24000, format="WAV")
    return target.getvalue()


async def _speech(request: Request) -> Response:
    asked = await request.json()
    request.app.state.asked.append((asked, request.headers.get("authorization")))
    if asked["voice"] == "nobody":
        return JSONResponse({"error": {"message": "there is no voice nobody"}}, status_code=400)
    return Response(tone(0.05 * len(asked["input"]) / asked["speed"]), media_type="audio/wav")


@pytest.fixture
async def speech_server():
    app = Starlette(routes=[Route("/v1/audio/speech", _speech, methods=["POST"])])
    app.state.asked = []
    async with serving(app) as address:
        yield address, app.state.asked


@pytest.fixture
async def voice_of(speech_server):
    async with open_client() as client:
        server = {"base_url": speech_server[0], "model": "toy", "voice": "ada"}
        yield {
            "hibari": HIBARI,
            "command": program(BEEP, "{output}", "{speed}"),
            "openai": SpeechServer(SpeechServer.Options(**server), client),
        }


NAMES = ("hibari", "command", "openai")


def test_every_voice_is_in_the_contract():
    assert plugins.discover(voices).keys() == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
async def test_a_voice_speaks_each_sentence_and_more_slowly_if_asked(voice_of, name):
    voice = voice_of[name]
    spoken = await voice.speak(SENTENCES, speed=1.0)
    slow = await voice.speak(SENTENCES, speed=0.5)
    assert len(spoken) == len(slow) == 2
    for sentence, slower in zip(spoken, slow, strict=True):
        assert sentence.samples.dtype == np.float32
        assert sentence.samples.ndim == 1
        assert 0.01 < np.abs(sentence.samples).max() <= 1
        assert len(slower.samples) > 1.6 * len(sentence.samples)
        assert sentence.sample_rate == slower.sample_rate
    assert voice.model


async def test_the_local_voice_times_every_written_word_in_order_and_within_its_sentence(voice_of):
    (_, spoken) = await voice_of["hibari"].speak(SENTENCES, speed=1.0)
    words = [SENTENCES[1][word.start : word.end] for word in spoken.words]
    assert words == SENTENCES[1].split()
    times = [time for word in spoken.words for time in (word.start_ms, word.end_ms)]
    assert times == sorted(times)
    assert times[-1] <= len(spoken.samples) * 1000 // spoken.sample_rate
    billion = spoken.words[words.index("billion")]
    assert 150 < billion.end_ms - billion.start_ms < 900


async def test_the_memory_of_the_local_voice_is_that_of_its_own_process(voice_of):
    await voice_of["hibari"].speak(SENTENCES[:1], speed=1.0)
    assert 50 << 20 < voice_of["hibari"].peak_memory < LIMITS.memory_bytes
    await voice_of["command"].speak(SENTENCES[:1], speed=1.0)
    assert voice_of["command"].peak_memory is None


async def test_the_local_voice_says_the_same_twice_and_nothing_of_another_language(voice_of):
    voice = voice_of["hibari"]
    first, second = await voice.speak(SENTENCES[:1], speed=1.0), await voice.speak(SENTENCES[:1], speed=1.0)
    assert np.array_equal(first[0].samples, second[0].samples)
    mixed = await voice.speak(["日本語です。", *SENTENCES[:1]], speed=1.0)
    assert len(mixed[0].samples) == 0
    with pytest.raises(Reject, match="English only"):
        await voice.speak(["日本語です。"], speed=1.0)


async def test_a_sentence_longer_than_the_model_sees_is_spoken_to_its_end(voice_of):
    long = "The council, " + ", ".join(f"as member {number} said again and again" for number in range(30)) + "."
    (spoken,) = await voice_of["hibari"].speak([long], speed=1.0)
    assert len(spoken.words) == len(long.split())
    assert spoken.words[-1].end == len(long)


def _hang() -> None:
    time.sleep(60)


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize(("fault", "reason"), [(_hang, "more than 1 seconds"), (_die, "crashed")])
async def test_a_voice_process_that_hangs_or_dies_is_ended_and_the_next_text_is_spoken(monkeypatch, fault, reason):
    voice = Hibari(Hibari.Options(), None)
    monkeypatch.setattr(voice, "_sandbox", Sandbox(Limits(memory_bytes=1 << 30, seconds=1.0)))
    sandbox, run = voice._sandbox, voice._sandbox.run
    monkeypatch.setattr(sandbox, "run", lambda *_: run(fault))
    with pytest.raises(Retry, match=reason):
        await voice.speak(SENTENCES, speed=1.0)
    monkeypatch.setattr(sandbox, "run", lambda *_: run(len, "spoken"))
    assert await sandbox.run() == 6
    await voice.close()


async def test_a_voice_process_is_not_ended_while_a_second_text_is_still_spoken(monkeypatch):
    voice = Hibari(Hibari.Options(), None)
    monkeypatch.setattr("scoop.voices.hibari.IDLE_SECONDS", 0.1)
    short, long = await asyncio.wait_for(
        asyncio.gather(voice.speak(["Yes."], speed=1.0), voice.speak(SENTENCES * 20, speed=1.0)), timeout=60
    )
    assert (len(short), len(long)) == (1, 40)
    await voice.close()


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import time; time.sleep(30)", "longer than 1 seconds"),
        ("import sys; sys.exit('out of breath')", "ended with 1: out of breath"),
        ("pass", "wrote no sound"),
        ("import sys; open(sys.argv[1], 'w').write('la la')", "wrote no sound"),
    ],
)
async def test_a_program_that_does_not_speak_is_tried_again_later(source, reason):
    with pytest.raises(Retry, match=reason):
        await program(source, "{output}", timeout=1).speak(SENTENCES[:1], speed=1.0)


async def test_a_program_that_is_not_installed_is_named_with_its_setting():
    missing = VoiceProgram(VoiceProgram.Options(command=("no-such-voice", "{output}")), None)
    with pytest.raises(Retry, match=r"no-such-voice cannot be run: no such file.*SCOOP_VOICES_COMMAND_COMMAND"):
        await missing.speak(SENTENCES[:1], speed=1.0)
    with pytest.raises(ConfigError, match=r"output.*SCOOP_VOICES_COMMAND_COMMAND"):
        VoiceProgram(VoiceProgram.Options(command=("espeak",)), None)


async def test_a_speech_server_is_asked_as_openai_is(speech_server):
    address, asked = speech_server
    async with open_client() as client:
        options = {"base_url": f"{address}/v1", "model": "tts-1", "voice": "alloy"}
        made = plugins.makers(voices)["openai"](options, client)
        await made.speak(SENTENCES[:1], speed=0.85)
    sent = {"model": "tts-1", "voice": "alloy", "input": SENTENCES[0], "response_format": "wav", "speed": 0.85}
    assert asked == [(sent, None)]
    assert made.model == "tts-1/alloy"


async def test_a_speech_server_that_refuses_or_sends_no_sound_is_tried_again_later(speech_server):
    async with open_client() as client:
        options = {"base_url": speech_server[0], "model": "toy"}
        with pytest.raises(Retry, match="there is no voice nobody"):
            await SpeechServer(SpeechServer.Options(**options, voice="nobody"), client).speak(SENTENCES[:1], speed=1.0)
        async with sending([b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlala"]) as address:
            elsewhere = SpeechServer(
                SpeechServer.Options(base_url=f"http://{address}/v1", model="a", voice="b"), client
            )
            with pytest.raises(Retry, match="did not send sound"):
                await elsewhere.speak(SENTENCES[:1], speed=1.0)


def test_a_voice_without_its_server_names_the_setting():
    with pytest.raises(ConfigError, match="SCOOP_VOICES_OPENAI_BASE_URL"):
        SpeechServer(SpeechServer.Options(), None)


async def test_speaking_leaves_the_loop_free(voice_of):
    voice = voice_of["hibari"]
    await voice.speak(SENTENCES[:1], speed=1.0)
    task, ticks = asyncio.create_task(voice.speak(SENTENCES * 8, speed=1.0)), 0
    while not task.done():
        await asyncio.sleep(0.01)
        ticks += 1
    assert ticks > 5
    assert len(task.result()) == 16


@pytest.fixture
def without_hibari(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name, *args: None if name == "hibari" else find(name, *args))


async def opened_voice(config):
    async with app.open_voice(config, None) as voice:
        return voice


@pytest.mark.parametrize(("program", "name"), [("/usr/bin/espeak-ng", "command"), (None, None)])
async def test_where_there_is_no_hibari_another_voice_or_none_is_used_with_a_warning(
    without_hibari, monkeypatch, tmp_path, program, name
):
    monkeypatch.setattr("shutil.which", lambda _: program)
    with structlog.testing.capture_logs() as logs:
        voice = await opened_voice(Config(home=tmp_path))
    assert getattr(voice, "name", None) == name
    assert "espeak-ng" in logs[0]["event"]


async def test_a_voice_that_was_set_and_is_not_installed_stops_the_start(without_hibari, tmp_path):
    with pytest.raises(ConfigError, match="hibari is not installed"):
        await opened_voice(Config(home=tmp_path, voice="hibari"))
