"""A text as tokens that compare equal across spellings: 1,000 and 1000, 12 % and 12 percent, 5万 and 50000."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache

from scoop.core.support.lexicon import PERCENT, SAYING, Lexicon, unspaced_phrases, words_of

# Kinds of tokens, one character each.
NUMBER, SPELLED, DATE, UNIT, NEGATION, SAID, NAME, WORD, SIGN = "nsdu!@Nwc"

DECIMAL_COMMA = frozenset("de es fr it nl pt pl ru tr da sv no fi cs el id vi uk ro hu".split())  # noqa: SIM905
_DIGIT = "[0-9\uff10-\uff19]"
_LETTER = r"[^\W\d_\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e01-\u0e4e]"
_COUNTED = "人名件年月日个個位次回度歳岁种種家本台枚点社校国か万億亿つ倍戦勝敗連组組层層天週周"
_HAN_DIGITS = {sign: value for value, sign in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}
_HAN_SCALES = {"十": 1e1, "百": 1e2, "千": 1e3}
_HAN_MYRIADS = {"万": 1e4, "萬": 1e4, "億": 1e8, "亿": 1e8, "兆": 1e12}
_HAN_WEEKDAYS = {
    sign: number
    for number, signs in enumerate(("月一", "火二", "水三", "木四", "金五", "土六", "日天"), 1)
    for sign in signs
}
_CURRENCY_SIGNS = {"$": "¤usd", "＄": "¤usd", "€": "¤eur", "£": "¤gbp", "¥": "¤jpy", "￥": "¤jpy"}
_PLAIN = WORD + NAME + NEGATION + SAID + UNIT
MAX_DAY = 31
MAX_DIGITS = 40  # a longer run of digits is no quantity


@dataclass(slots=True, kw_only=True)
class Tokens:
    """The tokens of a text with their kinds and their ranges in it."""

    texts: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def add(self, text: str, kind: str, start: int, end: int) -> None:
        self.texts.append(text)
        self.kinds.append(kind)
        self.starts.append(start)
        self.ends.append(end)

    def change_last(self, text: str, end: int) -> None:
        self.texts[-1] = text
        self.ends[-1] = end


def tokenize(text: str, language: str) -> Tokens:
    """The tokens of a text; addresses are none, see `links`."""
    tokens, name = Tokens(), language[:2].lower()
    texts, kinds, starts, ends = tokens.texts.append, tokens.kinds.append, tokens.starts.append, tokens.ends.append
    pending = ""  # a currency sign before its number: $5 is 5 dollars
    for match in _pattern().finditer(text):
        group, (start, end) = match.lastgroup, match.span()
        plain = match[0], SIGN
        if group == "word":
            forms = _word_tokens(match[0], name)
            plain = forms[0] if len(forms) == 1 else ("", SPELLED)
        if group == "sign" or (group == "word" and plain[1] in _PLAIN):  # nearly all: without a call for each
            texts(plain[0])
            kinds(plain[1])
            starts(start)
            ends(end)
            pending = ""
        elif group == "word":
            _add_word(tokens, match[0], name, start)
        elif group is not None:
            pending = _add_special(tokens, match, name, pending)
    return tokens


def _add_special(tokens: Tokens, match: re.Match[str], language: str, pending: str) -> str:
    """Add what is neither a word nor a single character; gives the currency of the number that follows."""
    group, written = str(match.lastgroup), match[0]
    if group == "currency":
        return _CURRENCY_SIGNS[written[-1]]
    for token, kind in _special(group, written, language, words_of(language)):
        tokens.add(token, kind, match.start(), match.end())
    if pending and group == "number":
        tokens.add(pending, UNIT, match.start(), match.end())
    return ""


def _special(group: str, written: str, language: str, words: Lexicon) -> Iterator[tuple[str, str]]:
    """The tokens of a match that is neither a word nor a single character."""
    if group == "number":
        value = number_of(written, language)
        yield (number_token(value), NUMBER) if value is not None else (written, WORD)
    elif group == "date":
        year, month, day = _date_parts(written)
        yield from ((f"@m{month}", DATE), (f"#{day}", NUMBER), *([(f"#{year}", NUMBER)] if year else []))
    elif group == "month":
        yield f"@m{int(unicodedata.normalize('NFKC', written)[:-1])}", DATE
    elif group == "weekday":
        sign = written[0] if "曜" in written else written[-1]
        yield f"@w{_HAN_WEEKDAYS[sign]}", DATE
    elif group == "han":
        yield number_token(han_number(written)), SPELLED
    elif group == "kata":
        yield unicodedata.normalize("NFKC", written), NAME
    elif group == "percent":
        yield PERCENT, UNIT
    else:
        yield _phrase(written, words)


def _phrase(written: str, words: Lexicon) -> tuple[str, str]:
    if written in words.negations:
        return written, NEGATION
    if written in words.saying:
        return SAYING, SAID
    return (words.symbols[written], UNIT) if written in words.symbols else (written, WORD)


def _add_word(tokens: Tokens, written: str, language: str, start: int) -> None:
    for token, kind in _word_tokens(written, language):
        end = start + len(written)
        if kind == SPELLED and token[0] == "*":
            _multiply(tokens, written, float(token[1:]), start, end)
        elif kind == SPELLED and _continues(tokens, token, start):
            tokens.change_last(number_token(float(tokens.texts[-1][1:]) + float(token[1:])), end)
        else:
            tokens.add(token, kind, start, end)
            if token.startswith("@m"):
                _put_month_first(tokens)


def _put_month_first(tokens: Tokens) -> None:
    """17 November is November 17."""
    if len(tokens.kinds) < 2 or tokens.kinds[-2] != NUMBER or tokens.starts[-1] - tokens.ends[-2] > 2:
        return
    if tokens.texts[-2][1:].isdigit() and 1 <= int(tokens.texts[-2][1:]) <= MAX_DAY:
        for part in (tokens.texts, tokens.kinds, tokens.starts, tokens.ends):
            part.append(part.pop(-2))  # type: ignore[arg-type]  # a list takes back its own member


def _multiply(tokens: Tokens, written: str, scale: float, start: int, end: int) -> None:
    """`27 million` is one number; `millions of` is a word."""
    is_after_number = tokens.kinds and tokens.kinds[-1] in {NUMBER, SPELLED} and start - tokens.ends[-1] <= 2
    if is_after_number:
        tokens.change_last(number_token(float(tokens.texts[-1][1:]) * scale), end)
    elif tokens.kinds and tokens.kinds[-1] == UNIT and len(tokens.kinds) > 1 and tokens.kinds[-2] in {NUMBER, SPELLED}:
        tokens.texts[-2] = number_token(float(tokens.texts[-2][1:]) * scale)  # $15 billion
        tokens.ends[-2] = tokens.ends[-1] = end
    else:
        tokens.add(written.lower(), WORD, start, end)


def _continues(tokens: Tokens, token: str, start: int) -> bool:
    """Whether a spelled number adds to the one before it: twenty-one, two hundred fifty."""
    if not tokens.kinds or tokens.kinds[-1] != SPELLED or start - tokens.ends[-1] > 1:
        return False
    before, value = float(tokens.texts[-1][1:]), float(token[1:])
    return value > 0 and (
        (before % 10 == 0 and 20 <= before < 100 and value < 10) or (before % 100 == 0 and value < 100)
    )


@lru_cache(maxsize=1 << 17)
def _word_tokens(written: str, language: str) -> tuple[tuple[str, str], ...]:
    """The canonical forms of a word."""
    words = words_of(language)
    word = _folded(written)
    if word.endswith("n't") and language == "en":
        return ((word[:-3], WORD), ("not", NEGATION)) if word != "n't" else (("not", NEGATION),)
    word = word.removesuffix("'s").removesuffix("'")
    if word in words.symbols and not (word in {"may", "mar", "sept"} and written.islower()):
        symbol = words.symbols[word]
        return ((symbol, DATE if symbol[0] == "@" else UNIT),)
    if word in words.numbers:
        return ((f"#{words.numbers[word]}", SPELLED),)
    if word in words.scales:
        return ((f"*{words.scales[word]:g}", SPELLED),)
    if word in words.negations:
        return ((word, NEGATION),)
    if word in words.saying:
        return ((SAYING, SAID),)
    return ((word, NAME if written[:1].isupper() else WORD),)


def _folded(written: str) -> str:
    if written.isascii():
        return written.lower()
    return unicodedata.normalize("NFKC", written).replace("\u2019", "'").casefold()


def number_token(value: float) -> str:
    return f"#{value:.12g}"


def number_of(written: str, language: str) -> float | None:
    """The value of digits as a language writes them, with myriads: 1.000 is a thousand in German."""
    plain = unicodedata.normalize("NFKC", written)
    if len(plain) > MAX_DIGITS:
        return None
    head = re.split("[千万萬億亿兆百]", plain)
    if len(head) == 1:
        return _digits(plain, language)
    return _mixed(plain, language)


def _digits(plain: str, language: str) -> float:
    plain = re.sub("['\u2019\u00a0\u202f]", "", plain)
    if plain[0] == ".":
        plain = f"0{plain}"
    decimal, thousands = (",", ".") if language in DECIMAL_COMMA else (".", ",")
    if plain.count(thousands) >= 1 and re.fullmatch(rf"\d{{1,3}}(?:\{thousands}\d{{3}})+(?:\{decimal}\d+)?", plain):
        plain = plain.replace(thousands, "")
    elif plain.count(decimal) > 1:  # 1.000.000 in English
        plain = plain.replace(decimal, "")
    plain = (
        plain.replace(thousands, ".").replace(decimal, ".")
        if plain.count(thousands) <= 1
        else plain.replace(thousands, "")
    )
    whole, _, rest = plain.partition(".")
    return float(f"{whole}.{rest.replace('.', '')}" if rest else whole)


def _mixed(plain: str, language: str) -> float:
    """Digits with scales: 3億3000万."""
    total, section, number = 0.0, 0.0, 0.0
    for part in re.findall(r"[\d.,]+|[千万萬億亿兆百]", plain):
        if part in _HAN_MYRIADS:
            total += (section + number or 1) * _HAN_MYRIADS[part]
            section = number = 0.0
        elif part in _HAN_SCALES:
            section, number = section + (number or 1) * _HAN_SCALES[part], 0.0
        else:
            number = _digits(part.strip(".,"), language)
    return total + section + number


def han_number(written: str) -> float:
    """The value of a number in Han characters: 五十 is 50, 二〇〇九 is 2009."""
    if all(sign in _HAN_DIGITS for sign in written):
        return float("".join(str(_HAN_DIGITS[sign]) for sign in written[:MAX_DIGITS]))
    total, section, number = 0.0, 0.0, 0.0
    for sign in written[:MAX_DIGITS]:
        if sign in _HAN_MYRIADS:
            total, section, number = total + (section + number or 1) * _HAN_MYRIADS[sign], 0.0, 0.0
        elif sign in _HAN_SCALES:
            section, number = section + (number or 1) * _HAN_SCALES[sign], 0.0
        else:
            number = number * 10 + _HAN_DIGITS[sign]
    return total + section + number


def _date_parts(written: str) -> tuple[str, int, int]:
    """Year (may be empty), month and day of 2009-04-30, 2009/4/30 or 30.4.2009."""
    parts = re.split("[-/.]", unicodedata.normalize("NFKC", written).strip("."))
    if len(parts[0]) == 4:
        return parts[0], int(parts[1]), int(parts[2])
    return parts[2], int(parts[1]), int(parts[0])


@cache
def _pattern() -> re.Pattern[str]:
    month, day = "(?:0?[1-9]|1[0-2])", "(?:0?[1-9]|[12][0-9]|3[01])"
    phrases = "|".join(unspaced_phrases())
    groups = (
        r"(?:https?://|www\.)[^\s<>\"「」『』（）。、，]+",
        rf"(?P<date>(?<!\d)(?:[12]\d{{3}}([-/]){month}\2{day}|{day}\.{month}\.[12]\d{{3}})(?!\d))",
        "(?P<month>(?:0?[1-9]|1[0-2]|[１-９]|１[０-２])月(?!間))",
        r"(?P<currency>(?:US|A|C|HK|NT)?[$＄€£¥￥])",
        rf"(?P<number>(?:(?<![\w.])\.(?={_DIGIT}))?{_DIGIT}+(?:[.,．，'\u2019\u00a0\u202f]{_DIGIT}+)*(?:[余多]?[百千万萬億亿兆]+(?:{_DIGIT}+(?:[.,]{_DIGIT}+)*)?)*)",
        "(?P<percent>[%％])",
        "(?P<weekday>[月火水木金土日]曜日?|(?:星期|礼拜|周|週)[一二三四五六日天](?![个個年]))",
        f"(?P<han>[〇零一二三四五六七八九十百千万億亿兆两]{{2,}}|[一二三四五六七八九十两](?=[{_COUNTED}]))",
        f"(?P<phrase>{phrases})",
        "(?P<kata>[\u30a1-\u30fa\u30fc\uff66-\uff9f]{2,})",
        rf"(?P<word>{_LETTER}[^\W_\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff]*(?:['\u2019]{_LETTER}+)*)",
        r"(?P<sign>[^\W\d_])",
    )
    return re.compile("|".join(groups))
