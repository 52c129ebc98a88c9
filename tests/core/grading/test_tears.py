"""What is left of a sentence is left out where its words lost what they need; news is never said wrongly for it."""

import pytest

from scoop.core.grading import mentions, notes, statements
from scoop.core.grading.trees import Tree
from scoop.parsers import english

FOUR = (
    "Four people were treated for minor injuries, most of them cuts from broken glass, the government of the territory "
    "said."
)


def tree(sentence: str) -> Tree:
    return Tree(tokens=tuple(english.parse([sentence])[0][0]))


def said(sentence: str, level: str) -> list[str]:
    return [one.text for one in statements.statements(tree(sentence), level)]


@pytest.mark.parametrize(
    ("sentence", "level", "wrong"),
    [
        (
            "The grain can substitute for wheat flour in anything from bread and pasta to waffles and pizza bases.",
            "A1",
            "flour to waffles",
        ),
        (
            "SOCO insist that their operations in Congo would be confined to an area that is far from the gorillas.",
            "A2",
            "to an area.",
        ),
        (
            "The container ship ran aground in the estuary of the Yangtze at 4.10 am on a cold Tuesday.",
            "A1",
            "ran in",
        ),
        (
            "The suspect spent two months in prison before being bailed for 50,000 euros by a judge in Spain.",
            "A1",
            "two months.",
        ),
        (
            "The federation wants a rise and limits on cranes, which are being introduced at four terminals.",
            "A1",
            "They are being introduced",
        ),
        (
            "Schools and hotels along the shore moved people to higher ground while the advisory was in force.",
            "A2",
            "But the advisory",
        ),
        (
            "By 14, she was on the radar of Archbishop Desmond Tutu, who put her forward for the Peace Prize.",
            "B1",
            "She put her",
        ),
        (
            FOUR,
            "B1",
            "that Four",
        ),
        ("There has been no fall in crime rates in the whole country between 2011 and 2012.", "A1", "no fall between"),
        (
            "Tussock asks once, shows the answer in the sidebar, and lets users withdraw it later in the settings.",
            "A2",
            "asks once, shows the answer in the sidebar.",
        ),
        ("In an interview, Rowan Teague of the Ports Association puts it differently.", "A1", "puts it."),
        (
            "The ministry put the cost of the response at 4.6 million euros, about half of which came from abroad.",
            "A1",
            "the cost of the response.",
        ),
        (
            "The ministry put the cost of the response at 4.6 million euros, about half of which came from abroad.",
            "A2",
            "About half of which",
        ),
        ("The use of the books is lawful; the judges dealt only with the question of who has to pay.", "A1", "dealt."),
        ("The plane knows its place, both from GPS and inertial tracking, but nobody sees it there.", "A1", "both"),
        (
            "The team fitted two rats with devices called interfaces that let the animals work on simple tasks.",
            "A1",
            "two rats.",
        ),
        ("It is not just Basford who is gaining from the crowds of adults who, it turns out, paint.", "A2", "who."),
        (
            "The coast guard saved people from a ferry that caught fire, completing the operation on Thursday.",
            "A2",
            "It caught fire, completing",
        ),
        ("The builder's code, its founders stress, stays open under the licence it has now.", "A1", "is its founders"),
        ("The remedy is to let the animals in one by one, and that is what the company did.", "A1", "the animals."),
        ("She agrees with the new camera on the roof in 91 cases out of 100.", "A1", "camera out of"),
        (
            "A tool is to be released in summer, he promised, and nobody will lose an index again.",
            "A1",
            "promised, and",
        ),
        (
            "This has angered residents, who claim the increased traffic on their quiet roads reduces their sleep.",
            "A2",
            "residents reduces",
        ),
        ("Linnet scored 66.3 on Longreach, and so passed the old model, which stands at 64.9.", "A1", "So passed"),
        ("Local hotels now issue guests with torches, and they put out chairs at night.", "A1", "issue guests."),
        ("The reaction to the new coach was a mix of surprise and a certain fear of change.", "A1", "It was a certain"),
    ],
)
def test_a_statement_keeps_the_words_without_which_it_is_wrong(sentence: str, level: str, wrong: str) -> None:
    assert not [text for text in said(sentence, level) if wrong in text]


def test_what_happened_when_follows_what_happened() -> None:
    sentence = (
        "The Ming Hui, operated by Eastern Lantern Lines, was on its way in from Busan with about 5,100 containers "
        "when it left the dredged channel south of Changxing island and came to rest on a mud bank."
    )
    made = said(sentence, "A2")
    place = next(at for at, text in enumerate(made) if text.startswith("This was"))
    assert "on its way" in made[place - 1]


def test_a_name_that_goes_on_is_no_name() -> None:
    assert "the Health" not in mentions.names(tree("A report of the Health & Social Care Centre named Leeds."))


def test_half_of_a_name_with_a_hyphen_is_no_name() -> None:
    parsed = tree("Chief executive Fergus Abernathy-Cole met Mary Allen in Leeds on Friday.")
    assert mentions.names(parsed)[-3:] == ["Mary Allen", "Leeds", "Friday"]
    assert not [note for note in notes.notes(parsed, "A2") if "Abernathy is" in note]


def test_an_agency_that_speaks_is_no_name_of_what_comes_before_it() -> None:
    sentence = "The probe Lantern flew to comet Harrow-Lind, the Pan-Oceanic Space Agency said."
    assert not [note for note in notes.notes(tree(sentence), "A2") if "Harrow-Lind is" in note]


def test_who_lived_abroad_is_the_ambassador_and_not_the_city() -> None:
    sentence = "The wind is strong, said Martin Ward, ambassador to London, who lived in Vienna for 20 years."
    assert not [text for text in said(sentence, "A1") if text.startswith("London")]
