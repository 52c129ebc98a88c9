"""The reasoning of an evaluation: its topics, the words that matched, and the strongest parts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoop.core.relevance.rubric import KNOWN_WORDS, Quality

NAMES_SHOWN = 3
MANY_NUMBERS, MANY_NAMES, LONG = 5, 5, 600  # from which on they are mentioned


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonPhrases:
    """The sentences of a reasoning in one language; names in braces are filled in."""

    by_words: str
    by_meaning: str
    no_topic: str
    has: str
    numbers: str
    names: str
    code: str
    words: str
    short: str
    few: str
    machine: str
    quoted: str = '"{word}"'
    between_names: str = ", "
    last_name: str
    between_sentences: str = " "

    def listed(self, names: Sequence[str]) -> str:
        return self.last_name.join([*filter(None, [self.between_names.join(names[:-1])]), names[-1]])


ENGLISH = ReasonPhrases(
    by_words="It matches {topics}: the text has {words}.",
    by_meaning="It matches {topics} by its meaning: none of the topic's words is in the text.",
    no_topic="It matches no topic; the nearest is {topic} with {points} of 100.",
    has="It has {facts}.",
    numbers="{count} numbers",
    names="{count} names",
    code="code",
    words="{count} words",
    short="With {count} words it is too short to judge its facts: it counts as an ordinary article.",
    few="It has few facts in {count} words.",
    machine="It may be written by a machine: this is an estimate and changes no score.",
    last_name=" and ",
)
GERMAN = ReasonPhrases(
    by_words="Er passt zu {topics}: Im Text steht {words}.",
    by_meaning="Er passt dem Sinn nach zu {topics}: Keines der Wörter des Themas steht im Text.",
    no_topic="Er passt zu keinem Thema; am nächsten ist {topic} mit {points} von 100.",
    has="Er enthält {facts}.",
    numbers="{count} Zahlen",
    names="{count} Namen",
    code="Programmcode",
    words="{count} Wörter",
    short="Mit {count} Wörtern ist er zu kurz, um seine Fakten zu beurteilen: Er zählt als gewöhnlicher Artikel.",
    few="Er hat wenige Fakten in {count} Wörtern.",
    machine="Vielleicht hat ihn eine Maschine geschrieben: Das ist eine Schätzung und ändert keine Punkte.",
    quoted="„{word}“",
    last_name=" und ",
)
JAPANESE = ReasonPhrases(
    by_words="{topics}に該当します。本文に{words}があります。",
    by_meaning="内容が{topics}に近い記事です。トピックの語は本文にありません。",
    no_topic="該当するトピックはありません。最も近いのは{topic}で、100点中{points}点です。",
    has="{facts}を含みます。",
    numbers="数値{count}個",
    names="固有名詞{count}個",
    code="コード",
    words="{count}語",
    short="{count}語と短く具体性を判断できないため、通常の記事として扱います。",
    few="{count}語のうち具体的な事実は多くありません。",
    machine="AIが書いた可能性があります（推定であり、点数には影響しません）。",
    quoted="「{word}」",
    between_names="、",
    last_name="と",
    between_sentences="",
)
CHINESE = ReasonPhrases(
    by_words="符合主题{topics}：正文中有{words}。",
    by_meaning="内容与主题{topics}相近，但正文中没有该主题的词语。",
    no_topic="不符合任何主题；最接近的是{topic}，100分中得{points}分。",
    has="含有{facts}。",
    numbers="{count}个数字",
    names="{count}个专有名词",
    code="代码",
    words="{count}个词",
    short="只有{count}个词，无法判断其具体程度，按普通文章计。",
    few="{count}个词中具体事实不多。",
    machine="可能由机器撰写（仅为估计，不影响分数）。",
    quoted="“{word}”",
    between_names="、",
    last_name="和",
    between_sentences="",
)
BY_LANGUAGE = {"en": ENGLISH, "de": GERMAN, "ja": JAPANESE, "zh": CHINESE}


def reasoning(
    matching: Sequence[str],
    scores: Mapping[str, int],
    named: Mapping[str, Sequence[str]],
    measured: Quality,
    *,
    is_ai_written: bool,
    language: str,
) -> str:
    """Why an article has its score, in a language, or in English if there are no phrases in it."""
    phrases = BY_LANGUAGE.get(language.partition("-")[0], ENGLISH)
    about = _about(matching, named, phrases) if matching else _about_nothing(scores, phrases)
    flag = [phrases.machine] if is_ai_written else []
    return phrases.between_sentences.join([about, _written(measured, phrases), *flag])


def _about(matching: Sequence[str], named: Mapping[str, Sequence[str]], phrases: ReasonPhrases) -> str:
    topics = phrases.listed(matching[:NAMES_SHOWN])
    words = list(dict.fromkeys(word for topic in matching for word in named.get(topic, ())))
    if not words:
        return phrases.by_meaning.format(topics=topics)
    quoted = [phrases.quoted.format(word=word) for word in words[:NAMES_SHOWN]]
    return phrases.by_words.format(topics=topics, words=phrases.listed(quoted))


def _about_nothing(scores: Mapping[str, int], phrases: ReasonPhrases) -> str:
    nearest = max(scores, key=lambda topic: (scores[topic], topic))
    return phrases.no_topic.format(topic=nearest, points=scores[nearest])


def _written(measured: Quality, phrases: ReasonPhrases) -> str:
    strong = [
        phrases.numbers.format(count=measured.numbers) if measured.numbers >= MANY_NUMBERS else "",
        phrases.names.format(count=measured.names) if measured.names >= MANY_NAMES else "",
        phrases.code if measured.code else "",
        phrases.words.format(count=measured.words) if measured.words >= LONG else "",
    ]
    shown = [each for each in strong if each]
    if shown:
        return phrases.has.format(facts=phrases.listed(shown))
    return (phrases.short if measured.words < KNOWN_WORDS else phrases.few).format(count=measured.words)
