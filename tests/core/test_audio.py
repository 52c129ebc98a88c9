"""Recordings: loudness, times, and MP3 that can be joined."""

import numpy as np
import pytest

from scoop.core.audio import SpokenSentence, TimedSentence, TimedWord, loudness, mp3, recordings, transcripts
from scoop.core.audio.pace import NORMAL, PACE_BY_LEVEL, ReadingPace
from scoop.core.audio.transcripts import EpisodeChapter
from scoop.core.audio.word_times import SaidWord, align

RATE = mp3.SAMPLE_RATE


def sine(seconds: float, *, amplitude: float = 1.0, hertz: float = 997.0, rate: int = RATE) -> np.ndarray:
    return (amplitude * np.sin(2 * np.pi * hertz * np.arange(int(rate * seconds)) / rate)).astype(np.float32)


def clicks(seconds: float) -> np.ndarray:
    """Quiet sound with loud clicks, as plosives are."""
    samples = sine(seconds, amplitude=0.02)
    samples[:: RATE // 3] = 0.9
    return samples


@pytest.mark.parametrize(
    ("samples", "rate", "expected"),
    [
        (sine(5, rate=48_000), 48_000, -3.01),  # the test signal of the standard, on one channel
        (sine(5), RATE, -3.01),
        (sine(5, amplitude=0.1), RATE, -23.01),
        (np.concatenate([sine(5, amplitude=0.1), np.zeros(RATE * 20, np.float32)]), RATE, -23.1),  # silence is gated
        (np.concatenate([sine(10, amplitude=0.1), sine(10, amplitude=0.005)]), RATE, -23.01),  # so is what is far below
    ],
)
def test_loudness_is_that_of_the_standard(samples, rate, expected):
    assert loudness.measure(samples, rate) == pytest.approx(expected, abs=0.15)


def test_silence_has_no_loudness_and_stays_silent():
    silent = np.zeros(RATE, np.float32)
    assert loudness.measure(silent, RATE) == -np.inf
    assert not loudness.normalize(silent, RATE).any()


@pytest.mark.parametrize("samples", [sine(3, amplitude=0.001), sine(3), clicks(3)])
def test_every_voice_gets_the_same_loudness_and_never_clips(samples):
    normalized = loudness.normalize(samples, RATE)
    assert loudness.measure(normalized, RATE) == pytest.approx(loudness.TARGET, abs=1.0)
    assert np.abs(normalized).max() <= loudness.CEILING + 1e-6


def test_a_recording_has_its_loudness_as_it_is_played():
    quiet = SpokenSentence(samples=sine(3, amplitude=0.01), sample_rate=RATE)
    played, rate = mp3.decode(recordings.record(["Mm."], [quiet], NORMAL).mp3)
    assert loudness.measure(played, rate) == pytest.approx(loudness.TARGET, abs=0.2)


@pytest.mark.parametrize("rate", [16_000, 22_050, 24_000, 44_100])
def test_sound_of_any_rate_keeps_its_length_and_pitch(rate):
    resampled = mp3.resample(sine(1, hertz=440, rate=rate), rate)
    assert len(resampled) == RATE
    assert np.argmax(np.abs(np.fft.rfft(resampled))) == 440
    assert np.abs(resampled[100:-100] - sine(1, hertz=440)[100:-100]).max() < 0.02


def test_joined_recordings_are_a_recording_whose_length_is_the_sum():
    first, second = mp3.encode(sine(1.0, amplitude=0.3)), mp3.encode(sine(2.0, amplitude=0.3, hertz=440))
    joined, rate = mp3.decode(first + mp3.silence(500) + second)
    expected = mp3.duration_ms(len(first + second)) + mp3.duration_ms(len(mp3.silence(500)))
    assert rate == RATE
    assert len(joined) * 1000 / rate == pytest.approx(expected, abs=1)
    assert all(data[:3] == first[:3] and len(data) % mp3.FRAME_BYTES == 0 for data in (first, second))
    assert b"Info" not in first
    assert b"Xing" not in first


def test_what_is_not_sound_cannot_be_decoded():
    with pytest.raises(ValueError, match="not sound"):
        mp3.decode(b"la la la")


def test_sentences_are_heard_when_the_recording_says():
    texts = ["High.", "…", "Low."]
    spoken = [
        SpokenSentence(samples=sine(0.5, amplitude=0.3, hertz=2000), sample_rate=RATE),
        SpokenSentence(samples=np.zeros(0, np.float32), sample_rate=RATE),
        SpokenSentence(
            samples=sine(0.5, amplitude=0.3, hertz=300, rate=16_000),
            sample_rate=16_000,
            words=(TimedWord(start=0, end=4, start_ms=100, end_ms=400),),
        ),
    ]
    recording = recordings.record(texts, spoken, ReadingPace(speed=1, pause_ms=300))
    heard, _ = mp3.decode(recording.mp3)
    high, unspoken, low = recording.sentences
    for sentence, hertz in ((high, 2000), (low, 300)):
        passage = heard[sentence.start_ms * 24 : sentence.end_ms * 24]
        loudest = np.argmax(np.abs(np.fft.rfft(passage))) * RATE / len(passage)
        assert loudest == pytest.approx(hertz, rel=0.02)
        around = heard[(sentence.start_ms - 40) * 24 : (sentence.start_ms - 10) * 24]
        assert np.sqrt((around**2).mean()) < 0.05 * np.sqrt((passage**2).mean())
    assert (unspoken.end_ms - unspoken.start_ms, low.start_ms - unspoken.end_ms) == (300, 0)
    assert (low.words[0].start_ms, low.words[0].end_ms) == (low.start_ms + 100, low.start_ms + 400)
    assert low.end_ms <= recording.duration_ms


def test_another_text_voice_or_pace_is_another_recording():
    base = {"voice": "hibari", "model": "heart", "pace": NORMAL}
    variants = [
        recordings.recording_hash(["One.", "Two."], **base),
        recordings.recording_hash(["One. Two."], **base),
        recordings.recording_hash(["One.", "Two."], **base | {"voice": "openai"}),
        recordings.recording_hash(["One.", "Two."], **base | {"model": "fable"}),
        recordings.recording_hash(["One.", "Two."], **base | {"pace": PACE_BY_LEVEL["A1"]}),
    ]
    assert len(set(variants)) == len(variants)
    assert recordings.recording_hash(["One.", "Two."], **base) == variants[0]


def said(*words: str) -> list[SaidWord]:
    return [SaidWord(text=word, start_ms=100 * place, end_ms=100 * place + 90) for place, word in enumerate(words)]


@pytest.mark.parametrize(
    ("sentence", "spoken", "expected"),
    [
        ("It is late.", said("It", "is", "late."), [("It", 0, 90), ("is", 100, 190), ("late.", 200, 290)]),
        ("$5 now", said("five", "dollars", "now"), [("$5", 0, 190), ("now", 200, 290)]),
        ("At 3 p.m.", said("At", "three", "PM"), [("At", 0, 90), ("3", 100, 190), ("p.m.", 200, 290)]),
        ("So — yes", said("So", "yes"), [("So", 0, 90), ("yes", 100, 190)]),
        ("", said("ghost"), []),
        ("Nothing", [], []),
    ],
)  # fmt: skip
def test_a_written_word_has_the_time_of_what_was_said_for_it(sentence, spoken, expected):
    timed = align(sentence, spoken)
    found = [(sentence[word.start : word.end], word.start_ms, word.end_ms) for word in timed]
    assert [word for word, *_ in found] == [word for word, *_ in expected]
    for (_, start, end), (_, expected_start, expected_end) in zip(found, expected, strict=True):
        assert (start, end) == (pytest.approx(expected_start, abs=30), pytest.approx(expected_end, abs=30))


def test_a_transcript_is_web_vtt_with_a_cue_for_each_sentence():
    sentences = [
        TimedSentence(text="A <b> & C.", start_ms=46, end_ms=1_500),
        TimedSentence(text="Later\nthat day.", start_ms=3_661_002, end_ms=3_662_000),
    ]
    assert transcripts.web_vtt(sentences) == (
        "WEBVTT\n\n"
        "1\n00:00:00.046 --> 00:00:01.500\nA &lt;b&gt; &amp; C.\n\n"
        "2\n01:01:01.002 --> 01:01:02.000\nLater that day.\n"
    )


def test_chapters_have_their_times_in_seconds():
    parts = [
        EpisodeChapter(title="One", start_ms=0),
        EpisodeChapter(title="Two", start_ms=61_500, url="https://a.example/2"),
    ]
    assert transcripts.chapters(parts)["chapters"] == [
        {"startTime": 0.0, "title": "One"},
        {"startTime": 61.5, "title": "Two", "url": "https://a.example/2"},
    ]
