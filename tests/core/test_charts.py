"""Charts as SVG: what is drawn fits a slide, and labels do not cover each other."""

import re

import pytest

from scoop.core import charts
from scoop.core.charts import Bar


def bars(number):
    return [Bar(label=f"day {each}", counts=(each % 5, 1, 2), average=0.1) for each in range(number)]


@pytest.mark.parametrize("number", [0, 1, 31, 91, 2_161])
def test_a_chart_of_any_length_has_a_size_and_at_most_thirty_one_labels(number):
    drawn = charts.stacked_svg("Mentions", bars(number))
    width = int(re.search(r'<svg [^>]*width="(\d+)"', drawn)[1])
    assert 480 <= width <= 4_500
    labels = re.findall(r"rotate\(45[^>]*>([^<]*)<", drawn)
    assert len(labels) <= 31
    assert labels[-1:] == [f"day {number - 1}"] * bool(number)


def test_a_title_and_a_label_are_text():
    drawn = charts.stacked_svg("<script>", [Bar(label="a & b", counts=(1, 0, 0), average=None)])
    assert "&lt;script&gt;" in drawn
    assert "a &amp; b" in drawn
