"""The language of a text: as declared, else as detected."""

import re
from collections import Counter
from functools import cache
from typing import Any

UNDETERMINED = "und"

SAMPLE_CHARACTERS = 600
SENTENCE_LETTERS = 40  # of a sentence whose language is judged alone
MAX_OWN_PROBABILITY = 0.001  # of a foreign sentence: finds 98 % of 2,800 (de en es it nl), and takes none for foreign
MIN_LETTERS = 12  # in a shorter text, a name such as "Bundestag" decides instead of the grammar
MIN_CONFIDENCE = 0.25  # decides 96 % of 8,677 headlines with lead (en es it nl ru), 0.9 % of them wrongly
LETTERS_PER_EAST_ASIAN_SIGN = 3  # "OpenAI、GPT-5をAPIで公開" is Japanese

# With Pidgin, Wu and Luxembourgish in the model, one English headline in ten is taken for one of those.
NEWSROOM_LANGUAGES = tuple(
    """
    af am ar az be bg bn bs ca cs cy da de el en es et eu fa fi fr ga gl gu ha he hi hr hu hy id is it ja ka kk km kn
    ko ku ky lo lt lv mk ml mn mr ms my ne nl no pa pl ps pt ro ru si sk sl so sq sr sv sw ta te th tl tr uk ur uz vi
    zh
    """.split()  # noqa: SIM905  # quoted one by one they could not be read
)

# Language, script, region and variants; extensions and private use do not describe the language.
_TAG = re.compile(
    r"(?P<language>[a-z]{2,3})(?P<rest>(?:-[a-z]{3}){0,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?"
    r"(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*)(?:-[a-z0-9](?:-[a-z0-9]{1,8})+)*"
)
_UNSPECIFIC_TAGS = frozenset({"und", "mul", "zxx", "mis"})
_SHORTEST = {
    "iw": "he",
    "in": "id",
    "ji": "yi",
    "ara": "ar",
    "chi": "zh",
    "zho": "zh",
    "eng": "en",
    "fre": "fr",
    "fra": "fr",
    "ger": "de",
    "deu": "de",
    "ita": "it",
    "jpn": "ja",
    "kor": "ko",
    "por": "pt",
    "rus": "ru",
    "spa": "es",
}
_TWO_LETTER_LANGUAGES = frozenset(
    """
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en
    eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv
    ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne
    ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss
    st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
    """.split()  # noqa: SIM905  # quoted one by one they could not be read
)

_KANA_SIGNS = "\u3041-\u3096\u30a1-\u30fa\u31f0-\u31ff\uff66-\uff9d"
_HAN_SIGNS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = re.compile(f"[{_KANA_SIGNS}]")
_HAN = re.compile(f"[{_HAN_SIGNS}]")
# Scripts of one language of the press, by the name of the language, and scripts that several share.
_SIGNS = re.compile(
    f"(?P<kana>[{_KANA_SIGNS}]+)|(?P<han>[{_HAN_SIGNS}]+)"
    "|(?P<latin>[A-Za-z\u00aa\u00b5\u00ba\u00c0-\u024f\u1e00-\u1eff]+)"
    "|(?P<ko>[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]+)"
    "|(?P<th>[\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46]+)"
    "|(?P<lo>[\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd-\u0ec6]+)"
    "|(?P<km>[\u1780-\u17b3]+)"
    "|(?P<my>[\u1000-\u102a\u1050-\u1055]+)"
    "|(?P<el>[\u0370-\u03ff\u1f00-\u1fff]+)"
    "|(?P<he>[\u05d0-\u05ea]+)"
    "|(?P<hy>[\u0531-\u0587]+)"
    "|(?P<ka>[\u10a0-\u10ff\u1c90-\u1cbf]+)"
    "|(?P<pa>[\u0a05-\u0a39\u0a59-\u0a5e]+)"
    "|(?P<gu>[\u0a85-\u0ab9]+)"
    "|(?P<or>[\u0b05-\u0b39]+)"
    "|(?P<ta>[\u0b83-\u0bb9]+)"
    "|(?P<te>[\u0c05-\u0c39]+)"
    "|(?P<kn>[\u0c85-\u0cb9]+)"
    "|(?P<ml>[\u0d05-\u0d3a]+)"
    "|(?P<si>[\u0d85-\u0dc6]+)"
    r"|(?P<other>[^\W\d_])"
)
_SHARED_SCRIPTS = frozenset({"latin", "other"})
_EAST_ASIAN_SCRIPTS = frozenset({"kana", "han", "ko"})
_EAST_ASIAN_LANGUAGES = frozenset({"ja", "ko", "zh"})


def language(declared: str | None, text: str) -> str:
    """A BCP 47 tag; `und` if nothing is declared and nothing can be detected."""
    return (declared and canonical_tag(declared)) or _detected(text[:SAMPLE_CHARACTERS])


def is_in_foreign_script(sentence: str, language: str) -> bool:
    """Whether a sentence is written in East Asian signs and the language is not, or the other way round."""
    letters = _letters_by_script(sentence)
    east_asian = sum(letters[script] for script in _EAST_ASIAN_SCRIPTS)
    others = letters.total() - east_asian
    if language.partition("-")[0] in _EAST_ASIAN_LANGUAGES:
        return not east_asian and others >= MIN_LETTERS
    return east_asian > others


def is_in_another_language(sentence: str, language: str) -> bool:
    """Whether a sentence is surely not in this language, by its script or by its words."""
    if is_in_foreign_script(sentence, language):
        return True
    letters = _letters_by_script(sentence)
    if not letters or letters.most_common(1)[0][0] not in _SHARED_SCRIPTS or letters.total() < SENTENCE_LETTERS:
        return False
    probabilities = dict(_identifier().rank(sentence[:SAMPLE_CHARACTERS]))
    return float(probabilities.get(language.partition("-")[0], 1)) < MAX_OWN_PROBABILITY


def canonical_tag(tag: str) -> str | None:
    """A BCP 47 tag in its usual spelling; None if it names no language."""
    match = _TAG.fullmatch(tag.strip().replace("_", "-").lower())
    if match is None:
        return None
    primary = _SHORTEST.get(match["language"], match["language"])
    if primary in _UNSPECIFIC_TAGS or (len(primary) == 2 and primary not in _TWO_LETTER_LANGUAGES):
        return None
    return "-".join([primary, *map(_cased, match["rest"].split("-")[1:])])


def _cased(subtag: str) -> str:
    if len(subtag) == 2:
        return subtag.upper()
    return subtag.capitalize() if len(subtag) == 4 else subtag


def _detected(sample: str) -> str:
    letters_by_script = _letters_by_script(sample)
    letters_by_script["han"] += letters_by_script.pop("kana", 0)
    leading, letters = letters_by_script.most_common(1)[0]
    if not letters:
        return UNDETERMINED
    if leading == "han":
        return "ja" if _is_japanese(sample) else "zh"
    if leading not in _SHARED_SCRIPTS:
        return leading
    if letters_by_script.total() < MIN_LETTERS:
        return UNDETERMINED
    return str(_identifier().classify(sample)[0])


def _letters_by_script(sample: str) -> Counter[str]:
    letters_by_script: Counter[str] = Counter()
    for run in _SIGNS.finditer(sample):
        script = str(run.lastgroup)
        letters_by_script[script] += len(run[0]) * (LETTERS_PER_EAST_ASIAN_SIGN if script in _EAST_ASIAN_SCRIPTS else 1)
    return letters_by_script


def _is_japanese(sample: str) -> bool:
    """Whether kana and the forms of the characters are Japanese: 発 is neither 发 nor 發."""
    signs = set(_HAN.findall(sample))
    kana = len(_KANA.findall(sample))
    foreign_in_china = min(_missing_from("gb2312", signs), _missing_from("big5", signs))
    return _missing_from("shift_jis", signs) < foreign_in_china + kana


def _missing_from(encoding: str, signs: set[str]) -> int:
    return len(signs) - len("".join(signs).encode(encoding, "ignore").decode(encoding))


@cache
def _identifier() -> Any:
    from py3langid import langid  # takes most of a second, and only undeclared text needs it

    identifier = langid.LanguageIdentifier.from_model_file(
        langid.MODEL_FILE, norm_probs=True, min_confidence=MIN_CONFIDENCE
    )
    identifier.set_languages(NEWSROOM_LANGUAGES)
    return identifier
