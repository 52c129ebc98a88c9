import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core.feed_names import NAME_CHARACTERS, feed_name


@pytest.mark.parametrize(
    ("title", "host", "name"),
    [
        ("Al Jazeera – Breaking News, World News and Video from Al Jazeera", "www.aljazeera.com", "Al Jazeera"),
        ("Al Jazeera English", "www.aljazeera.com", "Al Jazeera English"),
        ("BBC News", "www.bbc.co.uk", "BBC News"),
        ("BBC News - Home", "feeds.bbci.co.uk", "BBC News"),
        ("BBC News - India", "feeds.bbci.co.uk", "BBC News"),
        ("NYT > Top Stories", "www.nytimes.com", "NYT"),
        ("NYT > Japan", "www.nytimes.com", "NYT"),
        ("FOX News", "feeds.foxnews.com", "FOX News"),
        ("WSJ.com: World News", "feeds.a.dj.com", "WSJ.com"),
        ("CNN.com - RSS Channel - App International Edition", "rss.cnn.com", "CNN.com"),
        ("CBC - Top Stories News", "www.cbc.ca", "CBC"),
        ("CTVNews.ca - Top Stories - Public RSS", "www.ctvnews.ca", "CTVNews.ca"),
        ("Toronto Sun - RSS Feed", "torontosun.com", "Toronto Sun"),
        ("Yahoo News - Latest News & Headlines", "news.yahoo.com", "Yahoo News"),
        ("RT - Daily news", "www.rt.com", "RT"),
        ("Reuters: Most Read Articles", "www.reuters.com", "Reuters"),
        ("NASA Breaking News", "www.nasa.gov", "NASA"),
        ("NDTV News Search Records Found 1000", "feeds.feedburner.com", "NDTV News"),
        ("NDTV News -   Topstories", "feeds.feedburner.com", "NDTV News"),
        ("News24 Top Stories", "feeds.news24.com", "News24"),
        ("Moneycontrol Latest News", "www.moneycontrol.com", "Moneycontrol"),
        ("Japan Times latest articles", "www.japantimes.co.jp", "Japan Times"),
        ("hongkongnews.net latest rss headlines", "feeds.hongkongnews.net", "hongkongnews.net"),
        ("Republika Online RSS Feed", "www.republika.co.id", "Republika Online"),
        ("jagonews24.com - rss Feed", "www.jagonews24.com", "jagonews24.com"),
        ("Live Hindustan Rss feed", "feed.livehindustan.com", "Live Hindustan"),
        ("IOL section feed for News", "rss.iol.io", "IOL"),
        ("Designer News Feed", "www.designernews.co", "Designer News"),
        ("RSS DiariodelWeb.it", "www.diariodelweb.it", "DiariodelWeb.it"),
        ("RSS di   - ANSA.it", "www.ansa.it", "ANSA.it"),
        ("RSS Feed do Site Inovação Tecnológica", "www.inovacaotecnologica.com.br", "Inovação Tecnológica"),
        ("Lo último en Vanguardia MX", "vanguardia.com.mx", "Vanguardia MX"),
        ("Repubblica.it > Homepage", "www.repubblica.it", "Repubblica.it"),
        ("Daily Express :: News Feed", "feeds.feedburner.com", "Daily Express"),
        ("GMA News Online / News", "data.gmanews.tv", "GMA News Online"),
        (
            "Deccan Chronicle - Latest India news - Breaking news - Hyderabad News",
            "deccanchronicle.com",
            "Deccan Chronicle",
        ),
    ],
)
def test_words_about_the_feed_are_not_part_of_its_name(title, host, name):
    assert feed_name(title, host) == name


@pytest.mark.parametrize(
    ("title", "host", "name"),
    [
        ("World news | The Guardian", "www.theguardian.com", "The Guardian"),
        ("Italy - The Guardian", "www.theguardian.com", "The Guardian"),
        ("Home | Mail Online", "www.dailymail.co.uk", "Mail Online"),
        ("News - South China Morning Post", "www.scmp.com", "South China Morning Post"),
        ("Front Page - The Indian Express", "indianexpress.com", "The Indian Express"),
        ("Top World News- News18.com", "www.news18.com", "News18.com"),
        ("All: BreakingNews.ie", "feeds.breakingnews.ie", "BreakingNews.ie"),
        ("Latest News - Philippine News Agency", "www.pna.gov.ph", "Philippine News Agency"),
        ("Business News - Latest Headlines", "www.businessnews.com.au", "Business News"),
        ("The Nation - Top Stories", "nation.com.pk", "The Nation"),
        ("The Local", "feeds.thelocal.com", "The Local"),
        ("Blog – InfluxData", "www.influxdata.com", "InfluxData"),
        ("Architecture – Dezeen", "www.dezeen.com", "Dezeen"),
        ("Beauty - ELLE", "www.elle.com", "ELLE"),
        ("Android - Buffer Resources", "buffer.com", "Buffer Resources"),
        ("Loksattaदेश-विदेश &#8211; Loksatta", "www.loksatta.com", "Loksatta"),
        (
            "News, Latest News, Today's News Headlines, Breaking News, LIVE News - Oneindia",
            "www.oneindia.com",
            "Oneindia",
        ),
        ("ElDiario.es - ElDiario.es", "www.eldiario.es", "ElDiario.es"),
        ("Portada // expansion", "e00-expansion.uecdn.es", "expansion"),
        ("newest submissions : homelab", "www.reddit.com", "homelab"),
        ("Android Developers - Medium", "medium.com", "Android Developers"),
        ("Vimeo / Failla Wines’s videos", "vimeo.com", "Failla Wines’s videos"),
        ("reddit: the front page of the internet", "www.reddit.com", "reddit"),
    ],
)
def test_a_section_before_the_name_is_left_out(title, host, name):
    assert feed_name(title, host) == name


@pytest.mark.parametrize(
    ("title", "host", "name"),
    [
        ("ZEIT ONLINE | Nachrichten, Hintergründe und Debatten", "newsfeed.zeit.de", "ZEIT ONLINE"),
        ("tagesschau.de - Die Nachrichten der ARD", "www.tagesschau.de", "tagesschau.de"),
        ("tagesschau.de - Startseite", "www.tagesschau.de", "tagesschau.de"),
        ("Aktuell - FAZ.NET", "www.faz.net", "FAZ.NET"),
        ("heise developer neueste Meldungen", "www.heise.de", "heise developer"),
        ("SPIEGEL Update – Die Nachrichten", "www.spiegel.de", "SPIEGEL Update"),
        ("Le Monde.fr - Actualités et Infos en France et dans le monde", "www.lemonde.fr", "Le Monde.fr"),
        ("L'Obs - A la une", "www.nouvelobs.com", "L'Obs"),
        ("LaPresse.ca - Actualités", "www.lapresse.ca", "LaPresse.ca"),
        ("EL PAÍS: el periódico global", "feeds.elpais.com", "EL PAÍS"),
        ("El Periódico - portada", "www.elperiodico.com", "El Periódico"),
        ("R7 - Notícias", "noticias.r7.com", "R7"),
        ("Jornal de Notícias - Últimas Notícias", "www.jn.pt", "Jornal de Notícias"),
        ("Il Giornale - Cronache", "www.ilgiornale.it", "Il Giornale"),
        ("ilmessaggero.it - mondo", "www.ilmessaggero.it", "ilmessaggero.it"),
        ("Lenta.ru : Новости", "lenta.ru", "Lenta.ru"),
        ("Все материалы - Московский Комсомолец", "www.mk.ru", "Московский Комсомолец"),
        ("Последние новости на сайте korrespondent.net", "k.img.com.ua", "korrespondent.net"),
        ("Новини на tsn.ua", "tsn.ua", "tsn.ua"),
        ("Українська правда", "www.pravda.com.ua", "Українська правда"),
        ("ライブドアニュース - 主要トピックス", "news.livedoor.com", "ライブドアニュース"),
        ("朝日新聞デジタル", "rss.asahi.com", "朝日新聞デジタル"),
        ("ITmedia NEWS 最新記事一覧", "www.itmedia.co.jp", "ITmedia NEWS"),
        ("時事ドットコム｜最新ニュース", "www.jiji.com", "時事ドットコム"),
        ("新华网 - 要闻", "www.news.cn", "新华网"),
        ("頭條日報 Headline Daily - 頭條網", "hd.stheadline.com", "頭條日報 Headline Daily"),
        ("연합뉴스 최신기사", "www.yna.co.kr", "연합뉴스"),
        ("خبرگزاری مهر - اخبار ایران و جهان - Mehr News Agency", "www.mehrnews.com", "Mehr News Agency"),
        ("प्रभात खबर", "www.prabhatkhabar.com", "प्रभात खबर"),
        ("প্রথম আলো", "www.prothomalo.com", "প্রথম আলো"),
    ],
)
def test_titles_of_many_languages_are_understood(title, host, name):
    assert feed_name(title, host) == name


@pytest.mark.parametrize(
    ("title", "host"),
    [
        ("Hacker News", "news.ycombinator.com"),
        ("The Verge", "www.theverge.com"),
        ("Ars Technica", "arstechnica.com"),
        ("Rock, Paper, Shotgun", "www.rockpapershotgun.com"),
        ("Scripting News", "scripting.com"),
        ("Debian News", "www.debian.org"),
        ("Japan Today", "japantoday.com"),
        ("News On Japan", "www.newsonjapan.com"),
        ("Mexico News Daily", "mexiconewsdaily.com"),
        ("The Cloudflare Blog", "blog.cloudflare.com"),
        ("DB-Engines.com Blog", "db-engines.com"),
        ("Planet GNOME", "planet.gnome.org"),
        ("In Our Time", "www.bbc.co.uk"),
        ("It’s Not Always Special", "podcasters.spotify.com"),
        ("24 Horas", "www.24-horas.mx"),
        ("9to5Mac", "9to5mac.com"),
        ("Azure Friday (HD)", "s.ch9.ms"),
        ("~elly/blog", "elly.town"),
    ],
)
def test_a_title_that_is_a_name_stays_as_it_is(title, host):
    assert feed_name(title, host) == title


@pytest.mark.parametrize(
    ("title", "host", "name"),
    [
        ("", "www.example.com", "example.com"),
        (" - ", "feeds.example.co.uk", "example.co.uk"),
        ("Home Page", "www.business-standard.com", "business-standard.com"),
        ("All Content", "saharareporters.com", "saharareporters.com"),
        ("World", "feeds.washingtonpost.com", "Washington Post"),
        ("World News - Breaking News, Top Stories", "www.huffpost.com", "HuffPost"),
        ("News, Politics, Opinion, Commentary, and Analysis", "www.newyorker.com", "The New Yorker"),
        ("Comments on:", "inhabitat.com", "inhabitat.com"),
        ("最新ニュース", "www.example.jp", "example.jp"),
        ("Startseite", "www.example.de", "example.de"),
        ("https://www.sunstar.com.ph/", "www.sunstar.com.ph", "sunstar.com.ph"),
        ("www.wirtualnemedia.pl", "www.wirtualnemedia.pl", "wirtualnemedia.pl"),
        ("Blog", "someone.substack.com", "someone.substack.com"),
        ("All posts", "192.0.2.7", "192.0.2.7"),
    ],
)
def test_a_title_without_a_name_gives_the_publisher_of_the_host(title, host, name):
    assert feed_name(title, host) == name


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("L&#039;essentiel", "L'essentiel"),
        ("Tom &amp;amp; Jerry\n  Gazette", "Tom & Jerry Gazette"),
        ("<b>Gazette</b> of\tOstburg", "Gazette of Ostburg"),
    ],
)
def test_markup_and_white_space_are_not_part_of_a_name(title, name):
    assert feed_name(title, "gazette.example") == name


@given(st.text(), st.sampled_from(["www.example.com", "localhost", "192.0.2.7", "a.substack.com", "例え.jp"]))
def test_every_title_gives_a_name_of_one_bounded_line(title, host):
    name = feed_name(title, host)
    assert name.strip() == name
    assert 0 < len(name) <= NAME_CHARACTERS
    assert "\n" not in name


@given(st.text(alphabet=st.sampled_from("News - |:RSS latest The Example.com\u3000最新")))
def test_a_cleaned_name_is_not_cleaned_any_further(title):
    name = feed_name(title, "www.example.com")
    assert feed_name(name, "www.example.com") == name
