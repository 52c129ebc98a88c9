"""A cited passage is marked in its text, whatever range is asked for."""

from hypothesis import given
from hypothesis import strategies as st

from scoop.core import disclaimers, highlights, summaries

BODIES = st.text(alphabet=st.sampled_from("ab \n本"), max_size=60)
PLACES = st.integers(min_value=0, max_value=80)


@given(BODIES, PLACES, PLACES)
def test_marking_a_passage_keeps_every_paragraph_as_it_is(body, start, end):
    paragraphs = highlights.mark_passage(body, start, end)
    assert ["".join(span.text for span in spans) for spans in paragraphs] == [
        part for part in body.split("\n\n") if part.strip()
    ]


@given(BODIES, PLACES, PLACES)
def test_only_what_is_in_the_range_is_marked(body, start, end):
    marked = "".join(span.text for spans in highlights.mark_passage(body, start, end) for span in spans if span.is_hit)
    assert "".join(marked.split()) == "".join(body[start:end].split())


def test_a_passage_over_two_paragraphs_is_marked_in_both():
    spans = highlights.mark_passage("One two.\n\nThree four.", 4, 15)
    assert [[(span.text, span.is_hit) for span in paragraph] for paragraph in spans] == [
        [("One ", False), ("two.", True)],
        [("Three", True), (" four.", False)],
    ]


def test_every_disclaimer_has_a_short_note():
    assert disclaimers.TEXTS.keys() == summaries.NOTES.keys()
