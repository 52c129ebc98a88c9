"""Recordings: spoken sentences joined with pauses, at one loudness, as MP3 with the time of each sentence."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scoop.core import hashes
from scoop.core.audio import Recording, SpokenSentence, TimedSentence, loudness, mp3
from scoop.core.audio.pace import ReadingPace

FORMAT = "mp3-24k-48-2"  # part of the hash: another format is another recording


def record(texts: Sequence[str], spoken: Sequence[SpokenSentence], pace: ReadingPace) -> Recording:
    """The sentences as one recording; one without a word in it lasts for a pause."""
    pause = np.zeros(pace.pause_ms * mp3.SAMPLE_RATE // 1000, np.float32)
    pieces: list[np.ndarray] = []
    sentences: list[TimedSentence] = []
    position = mp3.DELAY_SAMPLES
    for text, sentence in zip(texts, spoken, strict=True):
        samples = mp3.resample(sentence.samples, sentence.sample_rate)
        sentences.append(_timed(text, sentence, position, position + (len(samples) or len(pause))))
        pieces += [samples, pause]
        position += len(samples) + len(pause)
    encoded = mp3.encode(loudness.normalize(np.concatenate(pieces), mp3.SAMPLE_RATE))
    return Recording(mp3=encoded, duration_ms=mp3.duration_ms(len(encoded)), sentences=tuple(sentences))


def _timed(text: str, sentence: SpokenSentence, start: int, end: int) -> TimedSentence:
    start_ms = _ms(start)
    words = tuple(
        replace(word, start_ms=start_ms + word.start_ms, end_ms=start_ms + word.end_ms) for word in sentence.words
    )
    return TimedSentence(text=text, start_ms=start_ms, end_ms=_ms(end), words=words)


def _ms(samples: int) -> int:
    return samples * 1000 // mp3.SAMPLE_RATE


def recording_hash(texts: Sequence[str], *, voice: str, model: str, pace: ReadingPace) -> bytes:
    """What decides about a recording: the sentences, the voice and its pace; the same give the same."""
    decisive = (FORMAT, voice, model, f"{pace.speed:.2f}", f"{pace.pause_ms}", *texts)
    return hashes.sha256("\0".join(decisive))
