import json

from builders import scoop

TEXT = "The old bridge is in a small town. It is closed because of rust. People take the ferry to the other side."


def test_a_text_is_measured_and_checked_against_a_level(tmp_path):
    file = tmp_path / "text.txt"
    file.write_text(TEXT)
    measured = json.loads(scoop("lessons", "measure", str(file), "--json").stdout)
    assert measured["level"] in {"A1", "A2"}
    assert measured["words"] == 22
    checked = scoop("lessons", "measure", str(file), "--level", "a2")
    assert checked.returncode == 1
    assert "Must change: The lesson has 22 words: A2 needs at least 64." in checked.stdout


def test_a_text_without_an_end_of_sentence_is_not_printed_whole(tmp_path):
    file = tmp_path / "text.txt"
    file.write_text("the old bridge is closed and " * 5_000)
    assert len(scoop("lessons", "measure", str(file)).stdout) < 2_000
