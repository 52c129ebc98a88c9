"""Recognises lines inside articles that are not part of them: links to other articles, credits, datelines."""

import re

MAX_POINTER_CHARACTERS = 250
MAX_LABEL_CHARACTERS = 40
MIN_POINTER_LINKED = 0.3
MAX_CLOSING_CHARACTERS = 400
MAX_DATELINE_CHARACTERS = 100


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


# The beginning of a line that points to another page.
_POINTER = _any_of(
    r"related\b",
    r"(?:also )?read (?:more|next|also|:)|also read\b",
    r"(?:see|watch|view|listen)\b.{0,12}?(?:more|also|:)",
    r"more (?:from|on|about|:)",
    r"don['’]?t miss|must[- ]read|recommended|most (?:read|popular)|you (?:may|might) (?:also )?(?:like|be interested)",
    r"click (?:here|to)|continue reading|story continues|advertisement|share this|comments?\W*$",
    r"(?:sign up|subscribe|follow us)\b",
    r"lesen sie auch|mehr zum thema|mehr dazu|das könnte sie auch interessieren|anzeige\W*$",
    r"lire aussi|à lire aussi|lea también|te puede interesar|leia (?:também|mais)|leggi anche|lees ook",
    r"関連記事|あわせて読みたい|続きを読む|相关阅读|延伸阅读|читайте также",
)
# Text of lines after the end of an article.
_CLOSING = _any_of(
    r"©",
    r"\(c\) ?\d{4}",
    r"copyright (?:\d{4}|by\b)",
    r"all rights reserved|alle rechte vorbehalten|tous droits réservés|todos (?:los derechos|os direitos)",
    r"tutti i diritti|無断転載|版权所有",
    r"\bfollow\b.{1,80}\bon\b.{0,20}(?:twitter|facebook|instagram|youtube)",
    r"\bfollow (?:us|her|him|me)\b|folgen sie uns|suivez-nous|síguenos|siga-nos|seguici",
    r"https?://(?:www\.)?(?:twitter|x)\.com/",
    r"contributed to this (?:report|story|article)",
    r"^\W{0,5}(?:additional )?(?:reporting|writing) by|\bediting by\b",
    r"^\W{0,5}(?:write|email|e-mail|contact|reach|send|follow)\b.{1,80}@",
    r"sign up (?:for|to|here)|\bjoin our\b|get the latest|click here|in your inbox|delivered (?:to|through) your",
    r"(?:our|free|daily|weekly|to [\w’' ]{0,30}) newsletters?\b|newsletter (?:abonnieren|anmelden)",
    r"\bsubscri(?:be|ptions?)\b.{0,60}(?:to|for|now|here|service)|abonnez-vous|inscreva-se|iscriviti",
    r"(?:originally|first) (?:appeared|published) (?:on|in|at|by)",
    r"already a (?:subscriber|member)|to continue reading|jetzt weiterlesen",
    r"tell us what|letters to the editor|(?:have a|news) tip\b|may be reached|if you enjoyed this",
    r"download (?:the|our) (?:free )?app",
    r"^\W{0,5}(?:source|quelle|fuente|fonte|источник)\s*:",
    r"^\W{0,5}(?:comments?|kommentare)\W*$",
)
_BULLETS = " \t-–—>»›•▶►●■◆*|[(【"
_YEAR = re.compile(r"\b(?:19|20)\d\d\b|年")
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’»)\]」』]*$")


def is_pointer(text: str, linked: float) -> bool:
    """Whether a line points to another page: "Read more: …"; a sentence that begins so has no link."""
    if len(text) > MAX_POINTER_CHARACTERS or not (linked > MIN_POINTER_LINKED or len(text) < MAX_LABEL_CHARACTERS):
        return False
    return _POINTER.match(text.lstrip(_BULLETS)) is not None


def is_closing(text: str) -> bool:
    """Whether a line is one that outlets put under their articles: rights, credits, calls to subscribe."""
    return len(text) < MAX_CLOSING_CHARACTERS and _CLOSING.search(text) is not None


def is_dateline(text: str) -> bool:
    """Whether a line is only a dateline or byline: short, with a year, and not a sentence."""
    return len(text) < MAX_DATELINE_CHARACTERS and _YEAR.search(text) is not None and not _SENTENCE_END.search(text)
