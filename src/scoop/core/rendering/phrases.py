"""The phrases of a curator's digest, by language: those of other digests are English."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

MOST_LISTED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """The phrases of one language; names in braces are filled in.

    `only`, `leading`, `other` and `others` introduce the articles. `day` has the weekday, day, month and year.
    """

    language: str
    must_read: str
    nothing_new: str
    nothing_new_sentence: str
    new: str
    relevance: str
    topics: str
    source: str
    reason: str
    part: str
    only: str
    leading: str
    other: str
    others: str
    too_few: str
    between_sentences: str
    between_names: str
    last_name: str
    more: str
    day: str
    weekdays: Sequence[str]
    months: Sequence[str]

    def written_out(self, day: date) -> str:
        weekday, month = self.weekdays[day.weekday()], self.months[day.month - 1]
        return self.day.format(weekday=weekday, day=day.day, month=month, year=day.year)

    def listed(self, names: Sequence[str]) -> str:
        """`A, B and C`; those after the fifth are only counted."""
        said, rest = list(names[:MOST_LISTED]), len(names) - MOST_LISTED
        if rest > 0:
            said.append(self.more.format(count=rest))
        return self.last_name.join([*filter(None, [self.between_names.join(said[:-1])]), said[-1]])


def of(language: str) -> Phrases:
    """The phrases of a language, else of English."""
    return BY_LANGUAGE.get(language.partition("-")[0], ENGLISH)


ENGLISH = Phrases(
    language="en",
    must_read="Must read",
    nothing_new="nothing new today",
    nothing_new_sentence="Nothing new today.",
    new="{count} new",
    relevance="Relevance",
    topics="Topics",
    source="Source",
    reason="Reason",
    part="part {number} of {total}",
    only="“{headline}” is today's article, about {topics}.",
    leading="“{headline}” leads today, about {topics}.",
    other="The other article is about {topics}.",
    others="The other {count} articles are about {topics}.",
    too_few="Fewer than the {least} you asked for: no other article reached {points} points.",
    between_sentences=" ",
    between_names=", ",
    last_name=" and ",
    more="{count} more",
    day="{weekday} {day} {month} {year}",
    weekdays=("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    months=(
        "January", "February", "March", "April", "May", "June",
        "July", "August", "September", "October", "November", "December",
    ),
)  # fmt: skip

GERMAN = Phrases(
    language="de",
    must_read="Zuerst lesen",
    nothing_new="heute nichts Neues",
    nothing_new_sentence="Heute gibt es nichts Neues.",
    new="{count} neu",
    relevance="Relevanz",
    topics="Themen",
    source="Quelle",
    reason="Begründung",
    part="Teil {number} von {total}",
    only="„{headline}“ ist der Artikel des Tages, zum Thema {topics}.",
    leading="An erster Stelle steht heute „{headline}“, zum Thema {topics}.",
    other="Der andere Artikel betrifft {topics}.",
    others="Die anderen {count} Artikel betreffen {topics}.",
    too_few="Weniger als die gewünschten {least}: Kein anderer Artikel erreichte {points} Punkte.",
    between_sentences=" ",
    between_names=", ",
    last_name=" und ",
    more="{count} weitere",
    day="{weekday}, {day}. {month} {year}",
    weekdays=("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
    months=(
        "Januar", "Februar", "März", "April", "Mai", "Juni",
        "Juli", "August", "September", "Oktober", "November", "Dezember",
    ),
)  # fmt: skip

JAPANESE = Phrases(
    language="ja",
    must_read="必読",
    nothing_new="本日の新着記事なし",
    nothing_new_sentence="本日の新着記事はありません。",
    new="新着{count}本",
    relevance="関連度",
    topics="トピック",
    source="情報源",
    reason="選定理由",
    part="{number}/{total}",
    only="本日の記事は{topics}に関する「{headline}」の1本です。",
    leading="本日の必読記事は{topics}に関する「{headline}」です。",
    other="ほかに{topics}に関する記事が1本あります。",
    others="ほかに{topics}に関する記事が{count}本あります。",
    too_few="ご希望の{least}本には届きませんでした。{points}点に達した記事はほかにありません。",
    between_sentences="",
    between_names="、",
    last_name="、",
    more="ほか{count}件",
    day="{year}年{month}月{day}日（{weekday}）",
    weekdays=tuple("月火水木金土日"),
    months=tuple(map(str, range(1, 13))),
)

CHINESE = Phrases(
    language="zh",
    must_read="必读",
    nothing_new="今天没有新文章",
    nothing_new_sentence="今天没有新文章。",
    new="{count}篇新文章",
    relevance="相关度",
    topics="主题",
    source="来源",
    reason="入选理由",
    part="{number}/{total}",
    only="今天的文章是“{headline}”，主题为{topics}。",
    leading="今天的重点是“{headline}”，主题为{topics}。",
    other="另一篇文章的主题为{topics}。",
    others="另外{count}篇文章的主题为{topics}。",
    too_few="少于您要求的{least}篇：没有其他文章达到{points}分。",
    between_sentences="",
    between_names="、",
    last_name="和",
    more="另外{count}个",
    day="{year}年{month}月{day}日 星期{weekday}",
    weekdays=tuple("一二三四五六日"),
    months=tuple(map(str, range(1, 13))),
)

BY_LANGUAGE = {each.language: each for each in (ENGLISH, GERMAN, JAPANESE, CHINESE)}
