"""The text format of Prometheus, read back by its own client library."""

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from scoop.core.prometheus_text import MetricFamily, Sample, render

HOSTILE = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(label=HOSTILE, value=st.floats(0, 1e300))
def test_every_label_value_and_number_is_read_back_as_it_was(label, value):
    about = 'Documents of "Firestore", in \\ and\nout.'
    family = MetricFamily(
        name="reads", type="gauge", help=about, samples=[Sample(name="reads", labels={"from": label}, value=value)]
    )
    other = MetricFamily(name="rest", type="gauge", help="", samples=[Sample(name="rest", labels={}, value=1)])

    text = render([family, other])

    read, rest = text_string_to_metric_families(text)
    assert (read.documentation, read.type) == (about, "gauge")
    assert [(sample.labels, sample.value) for sample in read.samples] == [({"from": label}, value)]
    assert [sample.value for sample in rest.samples] == [1]


def test_a_line_break_in_a_label_cannot_add_a_sample():
    sample = Sample(name="reads", labels={"from": '"} 1\nfake_total{x="'}, value=2)
    text = render([MetricFamily(name="reads", type="gauge", help="a\nb", samples=[sample])])
    assert text.count("\n") == 3
    assert "fake_total" not in [line.partition("{")[0] for line in text.splitlines()]
