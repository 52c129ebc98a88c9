import json

from builders import an_item, as_lines, scoop


def test_a_publisher_is_listed_renamed_and_reset(database_url, home):
    def desk(*arguments, **options):
        return scoop(*arguments, database_url=database_url, home=home, **options)

    assert desk("ingest", "--items", "-", stdin=as_lines([an_item()])).returncode == 0
    assert desk("normalize").returncode == 0
    [listed] = json.loads(desk("publishers", "list", "--like", "tribune", "--json").stdout)
    assert listed == {"family": "tribune.example", "name": "tribune.example", "is_edited": False}
    changed = desk("publishers", "change", "tribune.example", "--name", "Coastal Tribune")
    assert changed.stdout == "tribune.example is called Coastal Tribune\n"
    assert "Coastal Tribune" in desk("publishers", "list").stdout
    assert desk("publishers", "change", "tribune.example", "--reset").stdout.endswith("called tribune.example\n")
    assert desk("publishers", "change", "tribune.example").returncode == 2
    assert desk("publishers", "change", "nobody.example", "--name", "x").returncode == 1
