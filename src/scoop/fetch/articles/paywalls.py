"""Reasons why a page has no article: paywalls, logins, consent forms, bot checks, error pages, empty pages."""

import re
from dataclasses import dataclass
from itertools import islice

from lxml import etree
from lxml.html import HtmlElement

from scoop.core.text import one_line
from scoop.fetch.articles import blocks
from scoop.fetch.articles.metadata import MAX_HEADLINES, MAX_TITLE_CHARACTERS, Claims

MIN_ARTICLE_CHARACTERS = 100  # with less, the problem is `short`
MAX_TEASER_CHARACTERS = 1500  # of a page that declares that it is not free
MAX_GUESSED_TEASER_CHARACTERS = 600  # of a page that only mentions subscribing, which free ones do too
MIN_BRIEF_CHARACTERS = 250  # of a complete article, however short
MAX_WALL_CHARACTERS = 1000  # of text extracted from a page that is only a wall
MAX_SHELL_CHARACTERS = 400  # of visible text on a page that a script fills
SNIFFED_BYTES = 2048

_MARKUP = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|meta|div|p|article|main|h1|script|table)\b", re.IGNORECASE
)
_OTHER_XML = re.compile(
    rb"^\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)?<(?:rss|feed|rdf:rdf|urlset|sitemapindex|svg)\b",
    re.IGNORECASE | re.DOTALL,
)
_HTML_TYPES = frozenset({"", "text/html", "application/xhtml+xml", "text/plain", "application/xml", "text/xml"})

_visible = etree.XPath(
    "//body//text()[not(ancestor::script or ancestor::style or ancestor::noscript or ancestor::template)]"
)
_marks = etree.XPath("//@class | //@id | //script/@src | //iframe/@src | //form/@action")
_unscripted = etree.XPath("string(//noscript)")
_has_script = etree.XPath("boolean(//script)")
_asks_password = etree.XPath("boolean(//input[@type='password'])")


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Signs:
    """The patterns of a wall: in the title, in the visible text, in class names, ids and addresses."""

    title: re.Pattern[str] = _NEVER
    words: re.Pattern[str] = _NEVER
    marks: re.Pattern[str] = _NEVER


_BOT_CHECK = _Signs(
    title=_words(
        r"^just a moment",
        r"attention required",
        r"access (?:to this page has been )?denied",
        r"are you (?:a )?(?:robot|human)",
        r"pardon our interruption",
        r"security check",
        r"^robot check",
        r"ddos-guard",
        r"bot verification",
        r"captcha",
    ),
    words=_words(
        r"verif(?:y|ying) (?:that )?you are (?:a )?human",
        r"checking (?:if the site connection is secure|your browser)",
        r"unusual traffic from your",
        r"complete the (?:captcha|security check)",
        r"i['’]m not a robot",
        r"ich bin kein roboter",
        r"press (?:&|and) hold to confirm",
        r"enable javascript and cookies to continue",
        r"ロボットではありません",
    ),
    marks=_words(
        r"cf-(?:challenge|browser-verification|error)", r"challenge-platform", r"px-captcha", r"datadome", r"incapsula"
    ),
)
_ERROR_PAGE = _Signs(
    title=_words(
        r"^(?:error |fehler )?(?:404|410)\b(?!\s+[a-z]+\s+[a-z]+\s+[a-z])",
        r"\b404\b.{0,10}\b(?:error|fehler|not found)",
        r"(?:page|article|story|content) (?:was |is |could )?(?:not|no longer) (?:be )?(?:found|available|exist)",
        r"seite (?:wurde )?nicht gefunden",
        r"^not found",
        r"page (?:introuvable|non trouvée)",
        r"página no encontrada",
        r"página não encontrada",
        r"pagina non trovata",
        r"(?:ページ|記事)(?:が|は)(?:見つかりません|存在しません|削除)",
        r"страница не найдена",
        r"(?:页面|頁面)(?:不存在|未找到|找不到)",
        r"^(?:an? )?(?:internal server |server )?error(?: occurred)?\W*$",
    ),
)
_CONSENT = _Signs(
    title=_words(
        r"before you continue",
        r"cookie (?:consent|notice)",
        r"privacy (?:settings|choices)",
        r"^consent\b",
        r"datenschutzeinstellungen",
    ),
    words=_words(
        r"we (?:value|care about|respect) your privacy",
        r"(?:accept|agree|consent) (?:all|and continue|to (?:all )?cookies)",
        r"we and our (?:\d+ )?partners",
        r"mit werbung (?:weiter|kostenlos)",
        r"cookies? zustimmen",
        r"zustimmen und weiter",
        r"tout accepter",
        r"aceptar (?:todas las )?cookies",
        r"accetta (?:tutti i )?cookie",
        r"cookieに同意",
    ),
)
_PAYWALL = _Signs(
    words=_words(
        r"(?:subscribe|register|sign up|log ?in)(?: now)? (?:to|and) (?:continue|keep|read|unlock)",
        r"to (?:continue|keep) reading",
        r"already a subscriber",
        r"subscriber[- ](?:only|exclusive)",
        r"(?:exclusive|only) (?:for|to) subscribers",
        r"read the full (?:story|article) with",
        r"you['’]ve (?:reached|read) your (?:limit|last free)",
        r"weiterlesen mit",
        r"jetzt (?:abonnieren|weiterlesen|testen)",
        r"nur für abonnenten",
        r"(?:réservé|réservée) (?:à nos |aux )abonnés",
        r"solo para suscriptores",
        r"exclusivo para assinantes",
        r"riservat\w+ agli abbonati",
        r"(?:有料)?会員限定",
        r"有料会員",
        r"続きを読むには",
        r"только для подписчиков",
        r"订阅后",
    ),
    marks=_words(r"\b(?:paywall|regwall|pay-?wall|subscriber-only|premium-(?:wall|barrier)|piano-|tp-container)\b"),
)
_LOGIN = _Signs(
    title=_words(r"^(?:log|sign) ?in\b", r"^(?:anmelden|anmeldung|login|connexion|iniciar sesión|ログイン)\b"),
    words=_words(
        r"(?:log|sign) ?in to (?:your account|see|view|continue)", r"melden sie sich an", r"ログインしてください"
    ),
)
_NEEDS_SCRIPT = _words(r"java ?script")


def is_html(html: bytes, content_type: str) -> bool:
    """Whether the bytes are HTML, by their content first, then by their declared type."""
    start = html[:SNIFFED_BYTES].replace(b"\0", b"")
    if _OTHER_XML.search(start):
        return False
    if _MARKUP.search(start):
        return True
    kind = content_type.partition(";")[0].strip().lower()
    return kind in _HTML_TYPES and _MARKUP.search(html.replace(b"\0", b"")) is not None


def problem(tree: HtmlElement, claims: Claims, text: str) -> str | None:
    """The reason why the page has no complete article; None if it has one."""
    length = blocks.length(text)
    if length >= MAX_TEASER_CHARACTERS:
        return None
    page = _PageSignals(tree, claims, text)
    if length < MAX_WALL_CHARACTERS and (wall := page.wall()):
        return wall
    if not claims.is_free or (length < MAX_GUESSED_TEASER_CHARACTERS and page.shows(_PAYWALL, page.words)):
        return "paywall"
    if not text:
        return "empty"
    return "short" if len(text) < MIN_ARTICLE_CHARACTERS else None


class _PageSignals:
    """The visible signals of a page that gave little text."""

    def __init__(self, tree: HtmlElement, claims: Claims, text: str) -> None:
        heads = islice(tree.iter("title", "h1"), MAX_HEADLINES)
        self.titles = [claims.title or "", *(one_line(head.text_content()[:MAX_TITLE_CHARACTERS]) for head in heads)]
        self.words = one_line(" ".join(_visible(tree)))
        self.marks = " ".join(_marks(tree))
        # Pages with short articles have cookie banners and bot-check scripts too: then only the article's text counts.
        self.has_article = blocks.length(text) >= MIN_BRIEF_CHARACTERS
        self.shown = text if self.has_article else self.words
        self._tree = tree

    def wall(self) -> str | None:
        if self.shows(_BOT_CHECK, self.shown):
            return "bot_check"
        if self._is_shell():
            return "script_only"
        for name, signs in (("error_page", _ERROR_PAGE), ("consent", _CONSENT)):
            if self.shows(signs, self.shown):
                return name
        return "login" if self._is_login() else None

    def shows(self, signs: _Signs, words: str) -> bool:
        if any(signs.title.search(title) for title in self.titles) or signs.words.search(words):
            return True
        return not self.has_article and signs.marks.search(self.marks) is not None

    def _is_shell(self) -> bool:
        if self.has_article or len(self.words) > MAX_SHELL_CHARACTERS or not _has_script(self._tree):
            return False
        return not self.words or _NEEDS_SCRIPT.search(f"{self.words} {_unscripted(self._tree)}") is not None

    def _is_login(self) -> bool:
        if self.has_article or self.shows(_PAYWALL, self.words):
            return False
        return self.shows(_LOGIN, self.words) or bool(_asks_password(self._tree))
