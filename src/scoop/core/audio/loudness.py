"""Loudness by ITU-R BS.1770-4 for one channel, and levels that neither clip nor differ between voices.

The library of the field needs scipy (35 MB) for two filters; here they are applied to the spectrum, which numpy can do.
"""

import math

import numpy as np
from numpy.typing import NDArray

from scoop.core.audio import Samples

TARGET = -16.0  # LUFS: what podcast directories ask of speech
CEILING_DB = -3.5  # of the samples: MP3 overshoots them by up to 2.4 dB, and a true peak of -1 dB is asked for
CEILING = 10 ** (CEILING_DB / 20)
BLOCK_SECONDS, HOPS = 0.4, 4  # the blocks of the standard overlap by three quarters
ABSOLUTE_GATE, RELATIVE_GATE, OFFSET = -70.0, -10.0, -0.691
TAIL_SECONDS = 0.5  # after which both filters are silent
LIMITER_BLOCK = 60  # samples, 2.5 ms
CLOSE_ENOUGH = 0.3  # LU; nobody hears it, and each pass takes as long as the voice
PASSES = 4  # limiting makes sound softer: what is lost is added again

Spectrum = NDArray[np.complex128]
Power = NDArray[np.float64]


def measure(samples: Samples, sample_rate: int) -> float:
    """The integrated loudness in LUFS; minus infinity for silence."""
    power = _block_power(_weighted(samples, sample_rate), round(sample_rate * BLOCK_SECONDS / HOPS))
    loud = power[_lufs(power) > ABSOLUTE_GATE]
    if not loud.size:
        return -math.inf
    gate = float(_lufs(loud.mean())) + RELATIVE_GATE
    return float(_lufs(loud[_lufs(loud) > gate].mean()))


def normalize(samples: Samples, sample_rate: int, target: float = TARGET) -> Samples:
    """The samples at the target loudness, without clipping; silence stays as it is."""
    for _ in range(PASSES):
        loudness = measure(samples, sample_rate)
        if math.isinf(loudness) or abs(loudness - target) < CLOSE_ENOUGH:
            return samples
        samples = limit(samples * np.float32(10 ** ((target - loudness) / 20)))
    return samples


def limit(samples: Samples) -> Samples:
    """The samples below the ceiling: louder passages are turned down, smoothly, from 5 ms before to 5 ms after."""
    count = -(-len(samples) // LIMITER_BLOCK)
    padded = np.zeros(count * LIMITER_BLOCK, np.float32)
    padded[: len(samples)] = samples
    peaks = np.abs(padded).reshape(count, LIMITER_BLOCK).max(axis=1)
    if not count or peaks.max() <= CEILING:
        return samples
    gains = np.minimum(1.0, CEILING / np.maximum(peaks, CEILING))
    held = np.lib.stride_tricks.sliding_window_view(np.pad(gains, 2, mode="edge"), 5).min(axis=1)
    smooth = np.lib.stride_tricks.sliding_window_view(np.pad(held, 1, mode="edge"), 3).mean(axis=1)
    middles = np.arange(count) * LIMITER_BLOCK + LIMITER_BLOCK / 2
    limited: Samples = (samples * np.interp(np.arange(len(samples)), middles, smooth)).astype(np.float32)
    return limited


def _weighted(samples: Samples, sample_rate: int) -> NDArray[np.float64]:
    """The samples after the two filters of the standard: a shelf for the head, and a high pass."""
    length = len(samples) + round(sample_rate * TAIL_SECONDS)
    size = 1 << (length - 1).bit_length()
    turns = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)
    response = _shelf(turns, sample_rate) * _high_pass(turns, sample_rate)
    return np.fft.irfft(np.fft.rfft(samples, size) * response, size)[: len(samples)]


def _shelf(turns: Spectrum, sample_rate: int) -> Spectrum:
    """Its constants are those of the standard's table at 48 kHz, for any rate."""
    k, q = math.tan(math.pi * 1681.974450955533 / sample_rate), 0.7071752369554196
    high = 10 ** (3.999843853973347 / 20)
    band = high**0.4996667741545416
    above = (high + band * k / q + k * k) + 2 * (k * k - high) * turns + (high - band * k / q + k * k) * turns**2
    response: Spectrum = above / _poles(turns, k, q)
    return response


def _high_pass(turns: Spectrum, sample_rate: int) -> Spectrum:
    k, q = math.tan(math.pi * 38.13547087602444 / sample_rate), 0.5003270373238773
    return (1 - 2 * turns + turns**2) * (1 + k / q + k * k) / _poles(turns, k, q)


def _poles(turns: Spectrum, k: float, q: float) -> Spectrum:
    return (1 + k / q + k * k) + 2 * (k * k - 1) * turns + (1 - k / q + k * k) * turns**2


def _block_power(weighted: NDArray[np.float64], hop: int) -> Power:
    """The mean square of each block; sound shorter than a block is one block with silence."""
    padded = np.pad(weighted, (0, max(0, hop * HOPS - len(weighted))))
    sums = np.concatenate([[0.0], np.cumsum(padded * padded)])[::hop]
    power: Power = (sums[HOPS:] - sums[:-HOPS]) / (hop * HOPS)
    return power


def _lufs(power: Power) -> Power:
    return OFFSET + 10 * np.log10(np.maximum(power, 1e-12))
