"""Compare conjugated words without a dictionary: stems of Japanese verbs, and negations.

Theory of operation
    A Japanese verb is kanji and kana after them (okurigana). The first of these kana changes within
    its row of the syllabary, or by a sound change; the kanji stay. So a verb is its last kanji and
    the rows that its first kana may belong to, and two forms of it share a row:

        直す    (直, row of さ)                直して    (直, row of さ)
        待つ    (待, row of た)                待って    (待, rows of た ら わ か)
        出る    (出, row of ら) (出, ichidan)  出た      (出, row of た) (出, ichidan)

    `取る` and `撮って` differ by their kanji, `消す` and `消える` by the row. A text negates if it
    has an odd number of negations.

Known weaknesses
    Verbs in kana alone lose known endings, and the remaining letters are compared. Two verbs with
    the same kanji and row (`開ける`, `開く` in some forms) are one.
"""

from __future__ import annotations

import re

from .folding import fold_text

Stem = tuple[str, str]
# Rows of the syllabary, by which the first kana of an ending changes.
_ROWS = (
    "かきくけこ がぎぐげご さしすせそ ざじずぜぞ たちつてと だぢづでど "
    "なにぬねの ばびぶべぼ まみむめも らりるれろ わいうえお やゆよ"
)
_ROW = {kana: row[0] for row in _ROWS.split() for kana in row}
# Sound changes: 待って 取って 使って 行って; 死んで 飛んで 読んで; 書いて 脱いで.
# Not: 話した.
_SOUNDS = {"っ": "たらわか", "ん": "なばま", "い": "かがわさ"}
_ICHIDAN = "るたてなまよずれら"  # 出る 出た 出ない: the ending follows the kanji at once
_ADJECTIVE = "いくかけさみそ"  # 遅い 遅く 遅かった 遅ければ 遅さ
_KANJI = "\u3400-\u9fff\u3005"
_OKURIGANA = re.compile(rf"(?<![{_KANJI}])([{_KANJI}]+)([ぁ-ん]+)")
# Words in kana alone, at the beginning of a run or after a particle: やめて, つながらない
_KANA = re.compile(rf"(?<![{_KANJI}ぁ-ん])[ぁ-ん]{{2,}}|(?<=[はがをにでとも、。])[ぁ-ん]{{2,}}")
_ENDINGS = re.compile(
    r"(?:(?:ら|か|さ|わ|が|ま|た|ば)?(?:な(?:い|く(?:て|なる|なった)?|かった|ければ)|ず|ぬ)"
    r"|ませ(?:ん|んでした)|ま(?:す|した)|て(?:い(?:る|た|ます)|しまう|ほしい|ください)?"
    r"|た(?:い|ら)?|る|れば|よう|い|く(?:て)?|かった|う|った|って)+\Z"
)
# 動かない, 開けません, 読まずに, 未登録; not なくす, 少ない and the question ないか確認
_NEGATION_JA = re.compile(
    r"(?:[わかがさたなばまら]|[いきぎしちにびみりえけげせてねべめれでじ])"
    r"(?:な(?:い(?!か(?:確認|調))|く|かった|ければ)|ません|ずに?(?=\Z|[、。\s])|ぬ(?=\Z))"
    r"|(?:では|じゃ|が|は|も)な(?:い|く|かった)|不可|未"
)
_NEGATION_WORDS = "not|no|never|none|cannot|without|nothing|neither|nor"
NEGATIONS = frozenset(_NEGATION_WORDS.split("|"))
_NEGATION_EN = re.compile(rf"\b(?:{_NEGATION_WORDS})\b|n['’]t\b")
_ENGLISH = re.compile(r"(?:ies|ied|ing|ed|es|s|e|(?<=w)n)\Z")  # not: `own`, which is short
_SHORT = 4  # letters of an English word that loses only the `s` of a plural


def find_stems(text: str) -> tuple[set[Stem], set[str]]:
    """Return the conjugated words of a Japanese text.

    Args:
        text: The text.

    Returns:
        The verbs with kanji, each as its last kanji and a row, and the stems of words in kana.
    """
    folded = fold_text(text)
    stems: set[Stem] = set()
    for kanji, tail in _OKURIGANA.findall(folded):
        first = tail[0]
        rows = {*_SOUNDS.get(first, ""), *_ROW.get(first, "")}
        if first in _ICHIDAN:
            rows.add("ichidan")
        if first in _ADJECTIVE:
            rows.add("adjective")
        last = kanji[-1]
        stems.update((last, row) for row in rows)
    kana = set()
    for word in _KANA.findall(folded):
        stem = _ENDINGS.sub("", word)
        # One kana alone is a particle more often than a stem.
        if len(stem) >= 2:
            kana.add(stem)
    return stems, kana


def negates(text: str) -> bool:
    """Return whether a text denies something: two negations cancel each other."""
    folded = fold_text(text)
    negations = _NEGATION_EN.findall(folded)
    negations += _NEGATION_JA.findall(folded)
    return len(negations) % 2 == 1


def english_stem(word: str) -> str:
    """Return an English word without a common ending: `retries` and `retry` are `retry`."""
    if len(word) < _SHORT:
        return word
    if len(word) == _SHORT:
        return word.removesuffix("s")
    if word.endswith(("ies", "ied")):
        return word[:-3] + "y"
    return _ENGLISH.sub("", word)
