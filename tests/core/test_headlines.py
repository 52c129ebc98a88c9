"""The form of a headline: news, what followed, or something beside the event."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import headlines


@pytest.mark.parametrize(
    "title",
    [
        "WHO declares end of cholera outbreak in Tarsia",
        "Parliament passes law on rail safety",
        "Minister scraps fuel subsidies, urges drivers to save",
        "Opposition leaders arrested amid fears of a crackdown",
        "Five killed as bridge collapses in Ostburg",
        "Gas blast kills four in Ostburg",
        "Hochwasser zwingt Hunderte zur Flucht",
        "Le gouvernement annonce une hausse du salaire minimum",
        "首相、衆院解散を表明",
        "No charges for officers in Ostburg case",
        "Ostburg's council quits over the bridge",
        "Children should stay indoors, minister says",
        "Gov. Anna Weiss resigns in Ostburg",
        "Stadtrat von Ostburg tritt zurück",
        "Regjeringen foreslår nye regler for strøm i Ostburg",
        "\u2018The Old Bridge\u2019 wins prize for best film in Ostburg",
    ],
)
def test_a_headline_that_says_what_happened_is_news(title):
    assert headlines.form(title) == "news"


@pytest.mark.parametrize(
    "title",
    [
        "Mayor condemns attack on old bridge",
        "Bridge builder's shares tumble after collapse",
        "Central bank expected to cut rates",
        "Mayor on the collapse: \u2018We were warned\u2019",
        "Opposition kritisiert Einsturz der Brücke",
        "L'opposition dénonce une réforme injuste",
        "野党が解散に反発",
        "Old bridge falls into the river after a lorry hit its only ...",
        "Old bridge falls into the river:",
        "A long road for the old bridge",
        "After the Ostburg verdict",
        "After the collapse of the old bridge, the council promises more inspections",
        "Ten years after the collapse, Ostburg builds again",
        "The bridge is open again. Now the council wants a toll",
        "Collapse raises new questions about old bridges",
    ],
)
def test_a_headline_about_reactions_context_or_expectations_or_one_without_a_verb_is_a_follow_up(title):
    assert headlines.form(title) == "follow_up"


@pytest.mark.parametrize(
    "title",
    [
        "What the collapse means for commuters in Ostburg",
        "Who is the new mayor of Ostburg",
        "Ostburg bridge: how it was built",
        "The bolt nobody saw: anatomy of a collapse",
        "The engineer who saved the old bridge",
        "Five takeaways from the council's meeting",
        "Update your browser before it is too late",
        "\u201cWe lost everything\u201d, say families in Ostburg",
        "Is the old bridge safe? Engineers disagree",
        "Warum die Brücke in Ostburg einstürzte",
        "Effondrement du pont : ce que l'enquête devra dire",
        "なぜ橋は落ちたのか",
        "OLD BRIDGE FALLS DOWN IN OSTBURG",
        "Bridge falls",
        "No, the old bridge was not sold to a circus",
        "Don't close the old bridge",
        "Ostburg should close the old bridge",
        "The case against a new bridge in Ostburg",
        "Ostburg's journey from fishing village to capital",
        "Two maps show how Ostburg grew",
        "Old Bridge, season 2: episode 3 recap",
    ],
)
def test_a_headline_that_asks_explains_lists_quotes_or_shouts_is_a_side_piece(title):
    assert headlines.form(title) == "side_piece"


@given(st.text(max_size=400))
def test_every_title_has_a_form(title):
    assert headlines.form(title) in {"news", "follow_up", "side_piece"}
