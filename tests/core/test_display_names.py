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


@pytest.mark.parametrize(
    ("name", "letters"),
    [
        ("Al Jazeera", "AJ"),
        ("dawn.com", "Da"),
        ("al-monitor.com", "AM"),
        ("www.tribune.example", "Tr"),
        ("朝日新聞", "朝日"),
        ("?", "?"),
    ],
)
def test_an_outlet_without_an_icon_has_its_initials(name, letters):
    assert display_names.initials(name) == letters
