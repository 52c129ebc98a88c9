import io
import json
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoop.core import item_stream
from scoop.core.item_stream import split_items
from scoop.errors import InputError

BOM = b"\xef\xbb\xbf"
PUNCTUATION = b" \t\r\n\v\f,[]" + BOM  # what stands between items; left out where a test asks whether anything was lost

TEXT = st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=8)
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
ITEM = st.dictionaries(TEXT, VALUE, max_size=4)
BLANKS = st.text(alphabet=" \t\r\n", max_size=4).map(str.encode)
JSON_LIKE = st.lists(
    st.sampled_from(["{", "}", "[", "]", ",", ":", '"', "\n", "\r\n", " ", "1", "é", '{"a": 1}', "null", "\\"]),
    max_size=25,
).map(lambda parts: "".join(parts).encode())


class Trickle(io.RawIOBase):
    """A pipe that hands out a few bytes at a time."""

    def __init__(self, raw, size):
        self._source, self._size = io.BytesIO(raw), size

    def readable(self):
        return True

    def readinto(self, buffer):
        return self._source.readinto(memoryview(buffer)[: self._size])


def cut(raw):
    return list(split_items(io.BytesIO(raw)))


def values(found):
    assert [piece.problem for piece in found] == [None] * len(found)
    return [msgspec.json.decode(piece.raw) for piece in found]


def as_json(value, **style):
    return json.dumps(value, **style).encode()


def substance(raw):
    return raw.translate(None, PUNCTUATION)


@given(st.lists(ITEM, max_size=5), st.booleans(), st.lists(BLANKS, min_size=6, max_size=6), st.booleans())
def test_lines_are_cut_whatever_blanks_stand_between(items, has_bom, blanks, is_ended):
    lines = [before + as_json(item) for before, item in zip(blanks, items, strict=False)]
    raw = b"\n".join(lines) + (b"\n" + blanks[-1] if is_ended else b"")
    assert values(cut(BOM * has_bom + raw)) == items


@given(
    st.lists(VALUE, max_size=5),
    st.sampled_from([None, 0, 2]),
    st.booleans(),
    st.booleans(),
    BLANKS,
    st.integers(1, 9),
)
def test_an_array_is_cut_wherever_its_chunks_end(array, indent, is_ascii, has_bom, blanks, chunk):
    raw = BOM * has_bom + blanks + as_json(array, indent=indent, ensure_ascii=is_ascii) + blanks
    with patch.object(item_stream, "CHUNK", chunk):
        assert values(cut(raw)) == array


@given(ITEM, st.sampled_from([None, 0, 1, 4]), BLANKS, st.booleans())
def test_an_object_over_any_number_of_lines_is_one_item(item, indent, blanks, has_bom):
    assert values(cut(BOM * has_bom + blanks + as_json(item, indent=indent) + blanks)) == [item]


@given(st.lists(ITEM, min_size=1, max_size=4), st.sampled_from(["lines", "array", "object"]), st.integers(1, 5))
def test_a_pipe_that_trickles_gives_the_same_pieces(items, form, size):
    raw = {
        "lines": b"\n".join(map(as_json, items)),
        "array": as_json(items, indent=1),
        "object": as_json(items[0], indent=1),
    }[form]
    assert list(split_items(io.BufferedReader(Trickle(raw, size), 16))) == cut(raw)


@given(st.binary(max_size=200) | JSON_LIKE)
@example(b'[{"a": 1}]\n{"b": 2}\n')
@example(b'[{"a": 1}] and more')
@example(b'{"a": 1,\n"b": oops}\n')
@example(b"[" * 100)
@example(b"\xff\xfe{")
@example(b"[1}")
def test_whatever_comes_every_byte_of_substance_is_in_a_piece_or_the_input_is_refused(raw):
    try:
        found = cut(raw)
    except InputError:
        return
    assert substance(b"".join(piece.raw for piece in found)) == substance(raw)


@given(st.binary(max_size=200) | JSON_LIKE)
def test_pieces_stand_at_lines_of_the_input_in_order(raw):
    try:
        found = [piece.line for piece in cut(raw)]
    except InputError:
        return
    assert found == sorted(found)
    assert all(1 <= line <= raw.count(b"\n") + 1 for line in found)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=8), st.integers(0, 3))
def test_lines_of_any_length_are_told_apart_and_only_the_long_ones_refused(lengths, blank_lines):
    limit = 40
    lines = [as_json({"x": "y" * length}) for length in lengths]
    with patch.object(item_stream, "MAX_ITEM_BYTES", limit):
        found = cut(b"\n" * blank_lines + b"\n".join(lines) + b"\n")
    assert [piece.line for piece in found] == list(range(blank_lines + 1, blank_lines + 1 + len(lines)))
    assert [piece.problem is None for piece in found] == [len(line) <= limit for line in lines]
    assert [piece.raw for piece in found if piece.problem is None] == [line for line in lines if len(line) <= limit]


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":'])
def test_nesting_without_end_is_told_and_never_raised(opening):
    for raw in (opening * 100_000, opening * 100_000 + b"\n{}\n", b"{}\n" + opening * 100_000):
        assert cut(raw)


@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        (b'[\n{"a": 1},\n{"b": oops},\n{"c": 3}\n]', [2, 3]),
        (b'[\n{"a": 1}\n{"b": 2}\n]', [2, 3]),
        (b'\n\n[\n{"a": 1}', [4, 4]),
        (b'{\n"a": 1,\noops\n}', [3]),
        (b'{"a": 1\n{"b": 2}\n{"c": 3}\n', [1, 2, 3]),
    ],
)
def test_what_is_broken_is_named_by_the_line_of_the_break(raw, lines):
    assert [piece.line for piece in cut(raw)] == lines


def test_a_break_at_the_beginning_of_a_long_array_is_not_told_as_a_long_item():
    with patch.object(item_stream, "MAX_ITEM_BYTES", 200), patch.object(item_stream, "CHUNK", 50):
        [_, broken] = cut(b'[{"a": 1}, {"b": oops}' + b', {"c": 3}' * 100 + b"]")
    assert "longer than" not in broken.problem


def test_an_element_without_end_is_told_as_too_long():
    with patch.object(item_stream, "MAX_ITEM_BYTES", 200), patch.object(item_stream, "CHUNK", 50):
        for opening in (b'{"b": "', b'{"b": [', b'{"b": [1, '):
            [_, broken] = cut(b'[{"a": 1}, ' + opening + b"7, " * 200)
            assert "longer than" in broken.problem


def test_what_stands_in_an_array_is_named_by_its_place():
    assert [piece.path for piece in cut(b"[1, 2,\n3]")] == ["$[0]", "$[1]", "$[2]"]
    assert [piece.path for piece in cut(b"1\n2\n")] == ["$", "$"]


@pytest.mark.parametrize(
    "raw", ['{"a": 1}'.encode("utf-16-le"), '[{"a": 1}]'.encode("utf-16"), "\n[]".encode("utf-16-be")]
)
def test_utf_16_is_refused_as_a_whole(raw):
    with pytest.raises(InputError, match="save it as UTF-8"):
        cut(raw)


def test_a_stream_of_blank_lines_without_end_is_refused():
    with patch.object(item_stream, "MAX_BLANK_LINES", 5):
        for stream in (b"\n" * 100, b"{}\n" + b" \n" * 100):
            with pytest.raises(InputError, match="more than 5 blank lines"):
                list(split_items(io.BytesIO(stream)))
        assert len(list(split_items(io.BytesIO(b"\n\n{}\n\n{}\n")))) == 2
