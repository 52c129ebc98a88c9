import pytest

from scoop.core import display_names


@pytest.mark.parametrize(
    ("source", "source_name", "name"),
    [
        ("bbc_world", None, "BBC World"),
        ("bbc_world", "BBC News", "BBC News"),
        ("www.tribune.example", None, "tribune.example"),
        ("news.tribune.example", None, "news.tribune.example"),
        ("MyScraper", None, "MyScraper"),
    ],
)
def test_an_outlet_has_the_name_that_people_know(source, source_name, name):
    assert display_names.outlet_name(source, source_name) == name
