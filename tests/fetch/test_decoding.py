"""A body is decoded as it comes, and never beyond the cap."""

import gzip
import sys
import tracemalloc
import zlib
from contextlib import suppress

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.fetch import decoding
from scoop.fetch.decoding import BodyTooLarge, DecodedBody, Undecodable

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def bare_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


ENCODERS = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
    "identity": bytes,
    "": bytes,
}


def decoded(encoding: str, data: bytes, *, piece: int = 1000, max_bytes: int = 1 << 20) -> bytes:
    body = DecodedBody(encoding, max_bytes=max_bytes)
    for start in range(0, len(data), piece):
        body.feed(data[start : start + piece])
    return body.whole()


@given(st.sampled_from(sorted(ENCODERS)), st.binary(max_size=3000), st.integers(1, 500))
def test_what_was_encoded_comes_back_in_whatever_pieces_it_arrives(encoding, data, piece):
    assert decoded(encoding, ENCODERS[encoding](data), piece=piece) == data


def test_servers_that_mean_the_bare_stream_by_deflate_are_understood():
    assert decoded("deflate", bare_deflate(b"bridge" * 100)) == b"bridge" * 100


def test_encodings_can_be_nested():
    assert decoded("gzip, br", brotli.compress(gzip.compress(b"bridge"))) == b"bridge"


def test_a_gzip_of_several_members_is_read_whole():
    assert decoded("gzip", gzip.compress(b"one ") + gzip.compress(b"two")) == b"one two"


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_costs_no_more_than_the_cap(encoding):
    bomb = ENCODERS[encoding](bytes(64 << 20))
    tracemalloc.start()
    with pytest.raises(BodyTooLarge):
        decoded(encoding, bomb, piece=len(bomb), max_bytes=1 << 20)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16 << 20


def test_a_bomb_in_a_bomb_costs_no_more_either():
    bomb = gzip.compress(gzip.compress(bytes(128 << 20)))
    with pytest.raises(BodyTooLarge):
        decoded("gzip, gzip", bomb, piece=len(bomb))


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_a_body_that_ends_too_early_is_not_taken_for_whole(encoding):
    whole = ENCODERS[encoding](b"".join(bytes([n % 251, n % 7]) for n in range(3000)))
    with pytest.raises(Undecodable):
        decoded(encoding, whole[: len(whole) // 2])


@pytest.mark.parametrize("encoding", ["compress", "br2", "gzip, gzip, gzip, gzip"])
def test_what_was_not_offered_is_refused(encoding):
    with pytest.raises(Undecodable):
        DecodedBody(encoding, max_bytes=100)


@given(st.sampled_from(["gzip", "deflate", "br", "zstd"]), st.binary(max_size=200))
def test_garbage_is_refused_and_nothing_else_happens(encoding, data):
    with suppress(Undecodable, BodyTooLarge):
        decoded(encoding, data)


def test_only_what_can_be_decoded_is_offered():
    for name in decoding.OFFERED.split(", "):
        DecodedBody(name, max_bytes=1)
