"""Names that look like tools: by their form, or as unknown words in texts about software."""

import pytest

from scoop.core import tool_candidates


def names(text, language="en", known=()):
    return set(tool_candidates.names_in(text, language=language, known=known))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We build it with LangChain and Next.js.", {"LangChain", "Next.js"}),
        ("I rewrote the server script in Deno, and the build code runs without a config file.", {"Deno"}),
        ("The parser is written in Zig, so the library compiles to a single binary without runtime errors.", {"Zig"}),
        ("Our deploy script calls Terraform and then runs the tests, but the config file was missing.", {"Terraform"}),
        ("My config for Neovim loads the plugin, but the editor throws an error in the function.", {"Neovim"}),
    ],
)
def test_names_of_tools_are_found_in_texts_about_software(text, found):
    assert names(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "President Volodymyr Zelensky met Chancellor Scholz in Kyiv on Tuesday and asked von der Leyen for help.",
        "Shares of Infosys and Wipro fell two percent in Mumbai as Ambani's Reliance reported weak quarterly profit.",
        "Mbappe scored twice against Leverkusen before Modric left the pitch injured in the second half.",
        "The novelist Ishiguro read from his book in Aberystwyth, where Llewellyn had opened the festival.",
        "Police in Tegucigalpa said that Hernandez fled after the shooting near the Comayaguela market.",
        "I love how Daenerys looked at Tyrion in that episode, the Lannisters never learn.",
    ],
)
def test_names_in_plain_news_and_talk_are_no_tools(text):
    assert names(text) == set()


def test_ordinary_words_at_the_start_of_a_sentence_are_no_tools():
    assert (
        names("Refactored the function. Rebased the branch, and the tests pass. Untested code in the module.") == set()
    )


def test_a_name_is_counted_and_a_known_one_left_out():
    text = "We moved from LangChain to a Next.js page in Frankfurt. LangChain was slow, PostgreSQL is not."
    assert tool_candidates.names_in(text, language="en", known={"postgresql"}) == {"LangChain": 2, "Next.js": 1}


def test_tools_that_the_desk_has_are_not_proposed():
    assert (
        names("I rewrote the server script in Deno, and the build runs without a config file.", known={"deno"}) == set()
    )


def test_words_of_other_languages_are_not_taken_for_names():
    text = "Der Serverbetrieb braucht die Konfigurationsdatei, sonst wirft das Skript in Zeile drei einen Fehler."
    assert names(text, language="de") == set()
