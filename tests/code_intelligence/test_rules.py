"""The tables of the design: routing, risk, requirements, hints, relations, semantic search, readiness."""

from __future__ import annotations

import pytest

from symops_lark.code_intelligence import (
    Evidence,
    IntentType,
    MappedSymbol,
    QueryFrame,
    generate_investigation_guidance,
    get_exploration_requirements,
    is_related,
    route,
    should_allow_devrag,
    validate_for_ready,
)
from symops_lark.code_intelligence.requests.router import guess_intent
from symops_lark.core.ground.json_objects import FieldError
from symops_lark.models.scripted import ScriptedModel

SLOTS = ["target_feature", "trigger_condition", "observed_issue", "desired_action"]
WRITING = ["target_feature", "observed_issue", "trigger_condition", "desired_action"]


def frame(**slots: str) -> QueryFrame:
    return QueryFrame("a request", **slots)  # type: ignore[arg-type]


@pytest.mark.parametrize("intent", IntentType)
def test_priority_of_slots(intent: IntentType) -> None:
    assert route(frame(), intent).priority_slots == (WRITING if intent.writes else SLOTS)
    assert route(frame(target_feature="x"), intent).priority_slots == (WRITING if intent.writes else SLOTS)[1:]


def test_first_tools() -> None:
    fields = {"target_feature": "x", "trigger_condition": "y", "observed_issue": "z" * 10, "desired_action": "w"}
    assert route(frame(**fields), "MODIFY").initial_tools == ["find_definitions", "find_references", "search_text"]
    assert route(frame(), "MODIFY").initial_tools == ["query", "get_symbols", "analyze_structure", "search_text"]
    vague = route(frame(target_feature="ログイン機能", desired_action="直して"), "MODIFY")
    assert {"search_text", "query", "find_definitions", "find_references"} == set(vague.initial_tools)
    assert vague.initial_phase == "EXPLORATION" and vague.priority_slots == ["observed_issue", "trigger_condition"]
    for missing in SLOTS:
        tools = route(
            frame(**{slot: value for slot, value in fields.items() if slot != missing}), "MODIFY"
        ).initial_tools
        assert len(tools) == len(set(tools)) <= 4


def test_words_of_the_request_order_only_what_is_equal_otherwise() -> None:
    """Tools for missing slots stay in front; the slots and the risk do not depend on the words."""
    fields = {"target_feature": "x", "trigger_condition": "y", "observed_issue": "z" * 10}
    loadeds = (
        QueryFrame.from_dict({**frame(**fields).to_dict(), "raw_query": query}) for query in ("xyz", "an exception")
    )
    plain, error = (route(loaded, "MODIFY") for loaded in loadeds)
    assert plain.initial_tools == ["find_references", "analyze_structure", "find_definitions", "search_text"]
    assert error.initial_tools == ["find_references", "analyze_structure", "search_text", "find_definitions"]
    assert (plain.priority_slots, plain.risk_level) == (error.priority_slots, error.risk_level)


RISKS = [
    ("MODIFY", {"target_feature": "x", "desired_action": "y"}, "HIGH"),
    ("IMPLEMENT", {"target_feature": "x", "desired_action": "y"}, "HIGH"),
    ("MODIFY", {"observed_issue": "a long enough issue"}, "HIGH"),
    ("IMPLEMENT", {"observed_issue": "a long enough issue"}, "LOW"),
    ("MODIFY", {"target_feature": "x", "observed_issue": "123456789"}, "MEDIUM"),
    ("MODIFY", {"target_feature": "x", "observed_issue": "1234567890"}, "LOW"),
    ("QUESTION", {}, "LOW"),
]


@pytest.mark.parametrize(("intent", "slots", "risk"), RISKS)
def test_risk(intent: str, slots: dict[str, str], risk: str) -> None:
    assert route(frame(**slots), intent).risk_level == risk


def test_the_length_of_a_short_issue_is_a_setting() -> None:
    result = frame(target_feature="x", observed_issue="123456789")
    assert (route(result, "MODIFY").risk_level, route(result, "MODIFY", short_issue=9).risk_level) == ("MEDIUM", "LOW")


def test_what_is_only_assumed_does_not_lower_the_risk() -> None:
    result = frame(target_feature="x", observed_issue="a long enough issue", desired_action="y")
    assert route(result, "MODIFY").risk_level == "LOW"
    result.slot_source["observed_issue"] = "HYPOTHESIS"
    assert route(result, "MODIFY").risk_level == "HIGH"


REQUIREMENTS = [
    ("LOW", "MODIFY", (3, 1, 2, 1), []),
    ("MEDIUM", "IMPLEMENT", (3, 1, 2, 1), ["target_feature"]),
    ("HIGH", "MODIFY", (5, 2, 4, 2), ["target_feature", "observed_issue"]),
    ("HIGH", "INVESTIGATE", (1, 0, 1, 0), []),
    ("LOW", "QUESTION", (1, 0, 1, 0), []),
]


@pytest.mark.parametrize(("risk", "intent", "counts", "evidence"), REQUIREMENTS)
def test_requirements(risk: str, intent: str, counts: tuple[int, ...], evidence: list[str]) -> None:
    names = ("symbols_identified", "entry_points", "files_analyzed", "existing_patterns")
    expected = {**dict(zip(names, counts, strict=True)), "required_slot_evidence": evidence}
    assert get_exploration_requirements(risk, IntentType(intent)) == expected


def test_guidance_in_both_languages() -> None:
    for language in ("ja", "en"):
        message = generate_investigation_guidance(["observed_issue", "trigger_condition"], language)
        assert [hint["slot"] for hint in message["hints"]] == ["observed_issue", "trigger_condition"]
        assert all(hint["hint"] and hint["action"] for hint in message["hints"])
        assert message["recommended_tools"] == ["search_text", "query", "find_definitions"]
    assert len(generate_investigation_guidance(SLOTS)["hints"]) == 4
    of_the_source = "修正の動機となる『現状の問題』が不明です。", "search_text でエラー文言やログを確認してください。"
    assert tuple(generate_investigation_guidance(["observed_issue"])["hints"][0].values())[1:] == of_the_source
    assert generate_investigation_guidance([])["recommended_tools"] == []
    assert generate_investigation_guidance(["no_slot"])["hints"] == []


@pytest.mark.parametrize(
    ("term", "symbol"),
    [
        ("ログイン機能", "LoginController"),
        ("ログイン", "AuthService"),
        ("ログイン", "SignInForm"),
        ("認証API", "AuthenticationMiddleware"),
        ("ユーザー登録", "create_account"),
        ("login", "user_login_view"),
        ("payment processing", "PaymentGateway"),
        ("AuthService", "AuthService.login"),
        ("users", "UserModel"),
        ("UI", "UIController"),
    ],
)
def test_related(term: str, symbol: str) -> None:
    assert is_related(term, symbol)


@pytest.mark.parametrize(
    ("term", "symbol"),
    [
        ("ログイン", "AuthorList"),
        ("ログイン", "BillingService"),
        ("", "Anything"),
        ("a", "LoginController"),
        ("the feature", "FeatureFlag2Store"),
        ("テスト", "latest_price"),
        ("決済", "payload_size"),
    ],
)
def test_not_related(term: str, symbol: str) -> None:
    assert not is_related(term, symbol)


def test_a_model_is_asked_last() -> None:
    model = ScriptedModel(['{"related": true}', '{"related": false}'])
    assert is_related("ログイン", "AuthService", model=model) and not model.requests
    assert is_related("入場", "GateKeeper", model=model) and not is_related("入場", "Invoice", model=model)


def test_semantic_search_is_the_last_resort() -> None:
    result, used = frame(target_feature="x"), ["find_definitions", "find_references", "search_text"]
    for missing in used:
        assert not should_allow_devrag(result, {"tools_used": [tool for tool in used if tool != missing]}).allowed
    allowed, reason, slot = should_allow_devrag(result, {"tools_used": used})
    assert (allowed, reason, slot) == (True, "no_definition_found", "target_feature")
    assert should_allow_devrag(result, {"tools_used": used, "reason": "context_fragmented"}).slot == "observed_issue"
    assert not should_allow_devrag(result, {"tools_used": used, "reason": "I am lazy"}).allowed
    result.slot_source = {"target_feature": "FACT"}
    assert should_allow_devrag(result, {"tools_used": used}).slot == "observed_issue"
    assert not should_allow_devrag(result, {"tools_used": used, "reason": "no_definition_found"}).allowed
    result.slot_source["observed_issue"] = "FACT"
    assert not should_allow_devrag(result, {"tools_used": used}).allowed


def test_nothing_assumed_is_ready() -> None:
    result = frame(target_feature="x")
    assert validate_for_ready(result) == []
    result.slot_source["target_feature"] = "HYPOTHESIS"
    result.mapped_symbols.append(MappedSymbol("X", "HYPOTHESIS", 0.7, Evidence("semantic_search", {"query": "x"})))
    message = validate_for_ready(result)
    assert message[0] == "Slot 'target_feature' is still HYPOTHESIS. Must verify with code intel tools first."
    assert "'X'" in message[1] and len(message) == 2


def test_the_request_never_changes() -> None:
    result = frame()
    with pytest.raises(AttributeError, match="raw_query"):
        result.raw_query = "another"
    result.fill("target_feature", "x", "FACT", Evidence("query", {"text": "x"}))
    assert result.missing_slots == SLOTS[1:] and QueryFrame.from_dict(result.to_dict()) == result


@pytest.mark.parametrize(
    ("given", "params", "summary"),
    [
        ({"tool": "t", "result": "a.py:1"}, {}, "a.py:1"),
        ({"tool": "t", "file": "a.py"}, {}, "a.py"),
        ({"tool": "t", "symbol": "X", "result_summary": "a"}, {"symbol": "X"}, "a"),
        ({"tool": "t", "params": {"symbol": "X"}, "result": {"path": "a.py", "line": 3}}, {"symbol": "X"}, "a.py 3"),
    ],
)
def test_other_shapes_of_evidence(given: dict[str, object], params: dict[str, object], summary: str) -> None:
    loaded = Evidence.read(given)
    assert (loaded.tool, loaded.params, loaded.result_summary) == ("t", params, summary)
    assert Evidence.read(loaded.to_dict()) == loaded


@pytest.mark.parametrize("given", [None, "t", {}, {"tool": ""}, {"tool": 1}, {"tool": "t", "params": "x"}])
def test_no_evidence(given: object) -> None:
    with pytest.raises(FieldError):
        Evidence.read(given)


@pytest.mark.parametrize(
    ("source", "confidence"), [("FACT", -0.1), ("FACT", 1.1), ("FACT", float("nan")), ("FACT", True), ("MAYBE", 0.5)]
)
def test_no_symbol(source: str, confidence: float) -> None:
    with pytest.raises(FieldError):
        MappedSymbol("X", source, confidence)


@pytest.mark.parametrize(
    ("query", "intent"),
    [
        ("ログイン機能直して", "MODIFY"),
        ("fix the login", "MODIFY"),
        ("検索を追加して", "IMPLEMENT"),
        ("add a search box", "IMPLEMENT"),
        ("原因を調べて", "INVESTIGATE"),
        ("what does this do?", "QUESTION"),
        ("xyz", "MODIFY"),
    ],
)
def test_an_intent_that_is_not_given(query: str, intent: str) -> None:
    assert guess_intent(query) == intent
