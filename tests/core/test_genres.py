"""Which genre a title or URL names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import genres


@pytest.mark.parametrize(
    ("title", "genre"),
    [
        ("Morning briefing: bridge closed, ferry late", "roundup"),
        ("Your Tuesday Briefing", "roundup"),
        ("Monday afternoon business brief", "roundup"),
        ("Picture of the day: the old bridge", "roundup"),
        ("Five things to know this morning", "roundup"),
        ("War in the north: List of key events, day 1,455", "roundup"),
        ("The week in pictures", "roundup"),
        ("This week in fountain pens", "roundup"),
        ("Newsletter: why the harbour matters", "roundup"),
        ("Nachrichten am Morgen: Brücke gesperrt", "roundup"),
        ("Presseschau: „Ein Skandal“", "roundup"),
        ("L'actu du jour en trois minutes", "roundup"),
        ("Resumen de la semana: el puente", "roundup"),
        ("今日のニュースまとめ", "roundup"),
        ("要闻速览 | 桥梁关闭", "roundup"),
        ("Live: bridge closed after storm", "ticker"),
        ("Storm over the coast: live updates", "ticker"),
        ("Budget day – as it happened", "ticker"),
        ("Business live: bank quizzed by MPs", "ticker"),
        ("Minister to resign as parliament meets – live", "ticker"),
        ("Liveticker: Sturm über der Küste", "ticker"),
        ("+++ Sturm: Fähren stehen still +++", "ticker"),
        ("EN DIRECT, tempête : les dernières informations", "ticker"),
        ("Temporal en la costa, en directo", "ticker"),
        ("【随時更新】台風が接近", "ticker"),
        ("直播：桥梁关闭发布会", "ticker"),
        ("Weekly quiz: who closed the bridge?", "quiz"),
        ("Wie gut kennen Sie die Küste? | Quiz", "quiz"),
        ("【クイズ】この橋はどこ", "quiz"),
        ("Podcast: the bridge that never opened", "podcast"),
        ("Watch: moment the bridge closes", "video"),
        ("Speech on the harbour (video)", "video"),
        ("【動画】橋が閉鎖", "video"),
        ("Lunar New Year around the world, in pictures", "gallery"),
        ("Der Sturm in Bildern", "report"),  # no label: it may be a sentence
        ("Fotostrecke: Der Sturm", "gallery"),
        ("Opinion: close the bridge", "opinion"),
        ("【社説】橋の閉鎖", "opinion"),
        ("Suspect named in bridge fire: What we know", "explainer"),
        ("Incendie du pont : ce que l’on sait", "explainer"),
    ],
)
def test_a_title_names_its_genre(title, genre):
    assert genres.genre(title, None) == genre


@pytest.mark.parametrize(
    "title",
    [
        "Senators quiz minister over bridge",
        "Pence to get a vaccine on live TV",
        "Apple Watch goes on sale in March",
        "Bayer settles Roundup lawsuits",
        "Briefing room closed after leak",
        "Lives are being destroyed",
        "Court orders release of video",
        "Deceptively edited video goes viral",
        "北京日报社搬迁新址",
        "Direct flights to resume",
        "5 things to know about the new minister",
        "",
    ],
)
def test_a_report_that_uses_the_word_of_a_genre_stays_a_report(title):
    assert genres.genre(title, None) == "report"


@pytest.mark.parametrize(
    ("url", "genre"),
    [
        ("https://news.example/news/videos/c80jvkem8lro?at=rss", "video"),
        ("https://news.example/world/live/2026/feb/17/storm", "ticker"),
        ("https://news.example/commentisfree/2026/storm", "opinion"),
        ("https://news.example/Editorials/2026/0217/storm", "opinion"),
        ("https://news.example/quiz/2026/storm", "quiz"),
        ("https://news.example/newsletters/2026/storm", "roundup"),
        ("https://news.example/news/video-games-and-live-music", "report"),
        ("https://[broken/live/", "report"),
        ("", "report"),
    ],
)
def test_a_path_names_the_genre_by_a_whole_segment(url, genre):
    assert genres.genre("Storm closes bridge", url) == genre


def test_the_title_decides_before_the_url():
    assert genres.genre("Live: storm closes bridge", "https://news.example/videos/1") == "ticker"


@given(title=st.text(), url=st.one_of(st.none(), st.text()))
def test_any_text_has_a_genre(title, url):
    assert genres.genre(title, url) in genres.Genre.__args__
