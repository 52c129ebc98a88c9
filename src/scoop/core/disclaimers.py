"""The disclaimers of summaries, by id and language: people read where the text comes from."""

from dataclasses import dataclass

FALLBACK = "en"
GENERATED = "generated"

TEXTS = {
    "extract": {
        "en": "These sentences are quoted from the articles.",
        "de": "Diese Sätze sind aus den Artikeln zitiert.",
        "ja": "これらの文は記事からの引用です。",
        "zh": "这些句子引自原文。",
    },
    "simplified": {
        "en": "Simplified automatically from the article; check the source.",
        "de": "Automatisch aus dem Artikel vereinfacht; prüfen Sie die Quelle.",
        "ja": "記事を自動的にやさしく書き換えた文章です。出典をご確認ください。",
        "zh": "由程序根据文章自动简化；请核对来源。",
    },
    "generated": {
        "en": "Written by a language model from the articles below; check the sources.",
        "de": "Von einem Sprachmodell aus den Artikeln unten geschrieben; prüfen Sie die Quellen.",
        "ja": "言語モデルが下記の記事から作成した要約です。出典をご確認ください。",
        "zh": "由语言模型根据下列文章撰写；请核对来源。",
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclaimer:
    """A disclaimer, and the language that it is written in."""

    text: str
    language: str


def disclaimer(disclaimer_id: str, language: str) -> Disclaimer:
    """The disclaimer in the language of a summary, else in English; an unknown id is that of a generated text."""
    texts = TEXTS.get(disclaimer_id, TEXTS[GENERATED])
    base = language.partition("-")[0]
    chosen = base if base in texts else FALLBACK
    return Disclaimer(text=texts[chosen], language=chosen)
