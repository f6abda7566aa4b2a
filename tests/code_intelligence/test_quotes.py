"""What is said of a request must be in it: quotes, opposites, words; by law and by example."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from benchmarks.code_intelligence import quotes
from symops_lark.code_intelligence import validate_slot
from symops_lark.code_intelligence.requests.conjugation import find_stems
from symops_lark.code_intelligence.requests.folding import find_span, fold_text
from symops_lark.code_intelligence.requests.quotes import check_slot
from symops_lark.code_intelligence.requests.words import (
    WordsError,
    load_antonyms,
    load_synonyms,
    our_antonyms,
    our_synonyms,
)

TEXTS = st.text(st.sampled_from("ログイン機能Ａａbｶﾞが が①㌔ﬁıİßé\u0301\u3099 \n　e认証.x"), max_size=30)


def squeeze(text: str) -> str:
    return "".join(fold_text(text).split())


@given(TEXTS, TEXTS)
@example("ｶﾞ", "ログｶﾞイン")
@example("が", "か\u3099")
@example("e", "e\u0301")
def test_spans_point_into_the_original(quote: str, query: str) -> None:
    start, end = span = find_span(quote, query) or (0, 0)
    assert span == (0, 0) or (0 <= start < end <= len(query) and squeeze(query[start:end]) == squeeze(quote))


@given(TEXTS, st.integers(0, 29), st.integers(1, 30))
def test_a_plain_part_is_found(query: str, start: int, length: int) -> None:
    part = query[start : start + length]
    piece = query[start + length : start + length + 1]
    assume(squeeze(part) and not unicodedata.combining(part[0]) and not any(map(unicodedata.combining, piece)))
    assume(part[0] not in "ﾞ\u3099" and piece not in ("ﾞ", "\u3099"))
    assert find_span(part, query) is not None


@given(st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]), st.sampled_from(["ログイン機能でｶﾞ", "Ａuth Service", "が か"]))
def test_the_form_of_characters_and_case_do_not_matter(form: str, query: str) -> None:
    normalize = unicodedata.normalize(form, query)  # type: ignore[arg-type]
    assert find_span(normalize.upper(), query) == (0, len(query))


REFUSED = [  # value, quote, query, code
    ("ログアウト機能", "ログイン機能", "ログイン機能を直して", "contradicts_quote"),
    ("ログアウト", "ログイン", "ログインを直して", "contradicts_quote"),
    ("削除して", "追加して", "ボタンを追加して", "contradicts_quote"),
    ("ユーザー削除", "ユーザー登録", "ユーザー登録ができない", "contradicts_quote"),
    ("設定を無効にする", "設定を有効に", "設定を有効にして", "contradicts_quote"),
    ("ログインできる", "ログインできない", "ログインできないので直して", "contradicts_quote"),
    ("登録ユーザー", "未登録ユーザー", "未登録ユーザーの表示", "contradicts_quote"),
    ("remove a button", "add a button", "please add a button", "contradicts_quote"),
    ("logout page", "login page", "the login page is slow", "contradicts_quote"),
    ("disabling the cache", "enabling the cache", "enabling the cache fails", "contradicts_quote"),
    ("hide the panel", "shows the panel", "it shows the panel", "contradicts_quote"),
    ("login works", "login does not work", "login does not work", "contradicts_quote"),
    ("検索機能", "ログイン機能", "ログイン機能を直して", "inconsistent_with_quote"),
    ("速度の問題", "表示の問題", "表示の問題がある", "inconsistent_with_quote"),
    ("the payment feature", "the login feature", "the login feature is slow", "inconsistent_with_quote"),
    ("決済", "ログイン", "ログインを直して", "inconsistent_with_quote"),
    ("address book", "address", "the address is wrong", "inconsistent_with_quote"),  # the quote says no book
    ("session cache", "the cache layer", "the cache layer is slow", "inconsistent_with_quote"),
    ("全部書き換える", "一行直して", "一行直して", "inconsistent_with_quote"),
    ("値を返す", "値を返さない", "値を返さないので直して", "contradicts_quote"),
    ("loads", "doesn't load", "the page doesn't load", "contradicts_quote"),
    ("ログイン", "サインイン画面", "ログインを直して", "quote_not_in_query"),
    ("ログイン", "", "ログインを直して", "no_quote"),
    ("ログイン", "  ", "ログインを直して", "no_quote"),
    ("", "ログイン", "ログインを直して", "too_short"),
    ("グ", "ログイン", "ログインを直して", "too_short"),
    ("。", "ログイン。", "ログイン。", "too_short"),
]
KEPT = [
    ("ログイン機能", "ログイン機能で", "ログイン機能でエラー"),
    ("ログイン", "ﾛｸﾞｲﾝ", "ﾛｸﾞｲﾝできない"),
    ("AuthService", "auth service", "fix the auth service"),
    ("認証処理", "認証機能", "認証機能を直して"),
    ("ログアウト", "ログインとログアウト", "ログインとログアウトを直して"),
    ("修正する", "修正して", "エラーを修正して"),
    ("login page", "the Login  page", "the login page is slow"),
    ("ログイン処理", "ログイン画面", "ログイン画面が遅い"),  # a run of katakana in common
    ("直す", "直して", "ログインを直して"),
    ("fix the login", "ログインを直して", "ログインを直して"),  # synonyms and verbs of both languages
]


def test_pairs_are_judged_as_by_people() -> None:
    mistakes = {pair for _, pairs in quotes.judge().values() for pair in pairs}
    assert mistakes == quotes.KNOWN


@pytest.mark.parametrize(
    "verb", ["直す", "消す", "足す", "待つ", "取る", "飛ぶ", "読む", "書く", "急ぐ", "使う", "出る"]
)
def test_a_verb_is_found_in_its_forms(verb: str) -> None:
    kanji, last = verb[0], verb[-1]
    row = {
        "す": "さし",
        "る": "ら",
        "つ": "たち",
        "ぶ": "ばび",
        "む": "まみ",
        "く": "かき",
        "ぐ": "がぎ",
        "う": "わい",
    }[last]
    for kana in (*row, last):
        assert not find_stems(verb)[0].isdisjoint(find_stems(f"{kanji}{kana}ない")[0]), kana


@given(TEXTS)
def test_a_text_says_what_it_says(text: str) -> None:
    checked = check_slot("t", {"value": text, "quote": text}, text)
    assert checked.value == text or checked.reason_code in ("too_short", "quote_not_in_query", "no_quote")


@pytest.mark.parametrize(("value", "quote", "query", "code"), REFUSED)
def test_refused(value: str, quote: str, query: str, code: str) -> None:
    extracted = {"value": value, "quote": quote}
    assert check_slot("target_feature", extracted, query).reason_code == code
    assert validate_slot("target_feature", extracted, query) is None


@pytest.mark.parametrize(("value", "quote", "query"), KEPT)
def test_kept(value: str, quote: str, query: str) -> None:
    extracted = {"value": value, "quote": quote}
    checked = check_slot("target_feature", extracted, query)
    assert checked.value == value == validate_slot("target_feature", extracted, query)
    assert checked.span is not None and squeeze(query[slice(*checked.span)]) == squeeze(quote)


@pytest.mark.parametrize(
    "extracted", [None, {}, {"value": "x"}, {"value": None, "quote": "x"}, {"value": 1, "quote": 2}, []]
)
def test_what_is_no_slot(extracted) -> None:
    for strict in (False, True):
        assert validate_slot("target_feature", extracted, "x y", strict_seed=strict) is None


def test_the_literal_rule_of_the_source() -> None:
    """One word between blanks in common, or the value in the quote; quotes character by character."""
    query = "Fix the login page"
    assert validate_slot("t", {"value": "login form", "quote": "login page"}, query, strict_seed=True) == "login form"
    assert validate_slot("t", {"value": "Login", "quote": "login page"}, query, strict_seed=True) == "Login"
    assert validate_slot("t", {"value": "login", "quote": "LOGIN page"}, query, strict_seed=True) is None
    assert validate_slot("t", {"value": "認証処理", "quote": "認証機能"}, "認証機能を直す", strict_seed=True) is None


@given(st.sampled_from(our_antonyms().groups), st.data())
def test_a_word_never_stands_for_its_opposite(group: tuple[str, ...], data: st.DataObject) -> None:
    text, output = data.draw(st.permutations(group))[:2]
    value, quote = f"{text} widget", f"{output} widget"
    if our_antonyms().find_clash(value, quote) is None:  # one holds the other: 許可 and 不許可 are told apart
        pytest.fail(f"{text} was taken for {output}")
    assert validate_slot("desired_action", {"value": value, "quote": quote}, quote) is None


def test_users_extend_the_words(tmp_path: Path) -> None:
    file = tmp_path / "words.yaml"
    file.write_text("antonyms:\n  - [承認, 差戻し]\n", encoding="utf-8")
    antonyms = our_antonyms() + load_antonyms(file)
    extracted = {"value": "申請の差戻し", "quote": "申請の承認"}
    assert validate_slot("t", extracted, "申請の承認", antonyms=antonyms) is None
    assert check_slot("t", extracted, "申請の承認", antonyms=antonyms).reason_code == "contradicts_quote"
    assert check_slot("t", extracted, "申請の承認").reason_code == "inconsistent_with_quote"
    file.write_text("synonyms:\n  稟議: [ringi, approval]\n", encoding="utf-8")
    assert (our_synonyms() + load_synonyms(file)).of("稟議の画面")[-2:] == ["ringi", "approval"]


@pytest.mark.parametrize(
    ("text", "where"),
    [("antonyms: 1\n", ":1:"), ("antonyms:\n  - [a]\n", ":2:"), ("antonyms:\n  - [a, no]\n", ":2:"), ("x: 1\n", "x")],
)
def test_wrong_files_are_told_with_their_place(tmp_path: Path, text: str, where: str) -> None:
    file = tmp_path / "words.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(WordsError) as caught:
        load_antonyms(file)
    assert str(file) in str(caught.value) and where in str(caught.value)
