"""MP3 with a constant bit rate and no header: recordings joined byte by byte are a recording again.

So an episode is its lessons one after the other, its length is the sum of theirs, and players seek exactly.
"""

import io

import numpy as np

from scoop.core.audio import Samples

SAMPLE_RATE = 24_000
FRAME_SAMPLES = 576
FRAME_BYTES = 144  # at 48 kbit/s, which is transparent for one voice at 24 kHz
COMPRESSION = 0.75  # of the encoder's scale from 160 to 8 kbit/s
ENCODER_SCALE = 0.95  # by which the encoder turns sound down, measured at 200 to 3000 Hz; it is undone beforehand
DELAY_SAMPLES = 1105  # between the sound that is encoded and the sound that players play, measured
MEDIA_TYPE = "audio/mpeg"


def encode(samples: Samples) -> bytes:
    """The samples, at SAMPLE_RATE, as MP3."""
    import soundfile  # here: it loads a library of 4 MB, which most commands do not need

    target = io.BytesIO()
    soundfile.write(
        target,
        samples / np.float32(ENCODER_SCALE),
        SAMPLE_RATE,
        format="MP3",
        compression_level=COMPRESSION,
        bitrate_mode="CONSTANT",
    )
    return target.getvalue()


def decode(data: bytes) -> tuple[Samples, int]:
    """The samples and their rate of a file in any format of sound, as one channel; ValueError if it is none."""
    import soundfile

    try:
        samples, sample_rate = soundfile.read(io.BytesIO(data), dtype="float32", always_2d=True)
    except soundfile.LibsndfileError as error:
        raise ValueError(f"it is not sound: {error}") from error
    return np.ascontiguousarray(samples.mean(axis=1, dtype=np.float32)), int(sample_rate)


def silence(duration_ms: int) -> bytes:
    return encode(np.zeros(duration_ms * SAMPLE_RATE // 1000, np.float32))


def duration_ms(byte_count: int) -> int:
    """How long so many bytes play."""
    return byte_count // FRAME_BYTES * FRAME_SAMPLES * 1000 // SAMPLE_RATE


def resample(samples: Samples, sample_rate: int) -> Samples:
    """The samples at SAMPLE_RATE, by their spectrum."""
    if sample_rate == SAMPLE_RATE or not len(samples):
        return samples
    count = round(len(samples) * SAMPLE_RATE / sample_rate)
    spectrum = np.fft.rfft(samples)
    resized = np.zeros(count // 2 + 1, spectrum.dtype)
    kept = min(len(spectrum), len(resized))
    resized[:kept] = spectrum[:kept]
    return (np.fft.irfft(resized, count) * (count / len(samples))).astype(np.float32)
