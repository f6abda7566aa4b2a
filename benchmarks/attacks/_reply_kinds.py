"""Servers that misbehave in what they say: redirects, status, characters, values, events."""

from __future__ import annotations

import json

from ._kinds import REST, SAID, TEXT, kind
from ._wire import Wire, sse

# ---- redirects


@kind("error")
def redirect_to_itself(wire: Wire) -> None:
    wire.refuse("307 Temporary Redirect", "again", f"Location: {wire.path}")


@kind("error")
def redirect_elsewhere(wire: Wire) -> None:
    wire.refuse("308 Permanent Redirect", "there", f"Location: {wire.server.elsewhere.url}")


@kind("error")
def redirect_by_post(wire: Wire) -> None:
    wire.refuse("303 See Other", "there", f"Location: {wire.server.elsewhere.url}")


@kind("error")
def redirect_to_a_file(wire: Wire) -> None:
    wire.refuse("302 Found", "there", "Location: file:///etc/passwd")


@kind("error")
def redirect_to_nowhere(wire: Wire) -> None:
    wire.refuse("301 Moved Permanently")


@kind("error")
def redirect_to_garbage(wire: Wire) -> None:
    wire.refuse("301 Moved Permanently", "there", "Location: http://[::1:\xff/%%%")


# ---- status


@kind("error")
def no_content(wire: Wire) -> None:
    wire.send("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")


@kind("error")
def not_modified(wire: Wire) -> None:
    wire.send("HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n")


@kind("error")
def unknown_status(wire: Wire) -> None:
    wire.refuse("999 What")


@kind("error")
def status_that_is_no_number(wire: Wire) -> None:
    wire.refuse("abc OK")


@kind("error")
def page_with_success(wire: Wire) -> None:
    wire.answer("<html>Welcome!</html>", kind="text/html")


@kind("error")
def page_with_failure(wire: Wire) -> None:
    wire.answer("<html>502</html>", status="400 Bad Request", kind="text/html")


@kind("error")
def echoes_the_key(wire: Wire) -> None:
    wire.refuse("401 Unauthorized", "Incorrect API key provided: sk-very-secret-0123456789.")


@kind("error")
def echoes_the_key_in_a_place(wire: Wire) -> None:
    wire.refuse("307 Temporary Redirect", "x", "Location: http://127.0.0.1:1/?key=sk-very-secret-0123456789")


@kind("error")
def retry_after_years(wire: Wire) -> None:
    wire.refuse("429 Too Many Requests", "later", "Retry-After: 99999999")


@kind("error")
def retry_after_a_negative_time(wire: Wire) -> None:
    wire.refuse("429 Too Many Requests", "later", "Retry-After: -5")


@kind("error")
def retry_after_words(wire: Wire) -> None:
    wire.refuse("503 Service Unavailable", "later", "Retry-After: soon", "Retry-After-Ms: 1e999")


@kind("error")
def retry_after_a_date(wire: Wire) -> None:
    wire.refuse("503 Service Unavailable", "later", "Retry-After: Fri, 31 Dec 99999999999999 23:59:59 GMT")


@kind("error", silence=1.0)
def always_try_again(wire: Wire) -> None:
    wire.refuse("400 Bad Request", "again", "x-should-retry: true")


@kind("error")
def error_that_is_deep(wire: Wire) -> None:
    wire.answer('{"error":' * 50_000 + "1" + "}" * 50_000, status="400 Bad Request")


@kind("error")
def error_that_is_a_list(wire: Wire) -> None:
    wire.answer("[[1, 2], null]", status="400 Bad Request")


# ---- characters


@kind("error reply", "error reply", (TEXT, "\ufffd\ufffd"))
def no_utf8(wire: Wire) -> None:
    wire.answer(wire.body("??").encode().replace(b"??", b"\xff\xfe"))


@kind("reply error", "reply")
def byte_order_mark(wire: Wire) -> None:
    wire.answer("\ufeff" + wire.body(TEXT))


@kind("error reply", "error")
def utf16(wire: Wire) -> None:
    wire.answer(wire.body(TEXT).encode("utf-16"))


@kind("reply error")
def unknown_charset(wire: Wire) -> None:
    kind = "text/event-stream" if wire.streams else "application/json"
    wire.answer(wire.body(TEXT), kind=f"{kind}; charset=no-such")


@kind("error reply", "reply error")
def wrong_kind_of_content(wire: Wire) -> None:
    wire.answer(wire.body(TEXT), kind="image/png")


@kind("reply", "reply", ("a\ufffdb",))
def lone_escapes(wire: Wire) -> None:
    wire.answer(wire.body("a\ud800b"))


# ---- values


def _value(name: str, body: str, whole: str = "error", streamed: str = "error") -> None:
    def serve(wire: Wire) -> None:
        wire.answer(f"event: message_start\ndata: {body}\n\n" if wire.streams else body)

    serve.__name__ = name
    kind(whole, streamed)(serve)


_value("deep_json", "[" * 100_000)
_value("deep_objects", '{"a":' * 50_000 + "1" + "}" * 50_000)
_value("a_list", "[]")
_value("a_text", '"hello"')
_value("a_number", "1e999")
_value("digits_by_the_thousand", "9" * 5000)
_value("not_a_number", "NaN")
_value("null", "null")
_value("nothing", "")
_value("an_empty_object", "{}")
_value("no_json", "{'a': 1}")
_value("choices_of_null", '{"choices": null, "content": null, "type": 5, "message": null, "delta": 1}')
_value("choices_of_numbers", '{"choices": [1], "content": [1], "type": "message_start", "message": 3}')
_value("choices_as_a_text", '{"choices": "text", "content": {"a": 1}, "type": ["x"], "delta": []}')
_value("an_error_inside", '{"type": "error", "error": {"message": "overloaded", "type": "overloaded_error"}}')
_value("an_error_that_is_a_number", '{"type": "error", "error": 5}')


def _content(name: str, content: object, right: str, text: str = TEXT) -> None:
    def serve(wire: Wire) -> None:
        wire.answer(wire.body(whole=content) if content is not None else wire.body(None, whole=None))

    serve.__name__ = name
    kind(right, right, (text,))(serve)


_content("content_is_a_number", 5, "error")
_content("content_is_true", True, "error")
_content("content_is_an_object", {"text": TEXT, "deep": [1]}, "error")
_content("content_is_parts", [{"type": "text", "text": SAID}, {"type": "text", "text": REST}], "reply")
_content("content_is_a_part_behind_thoughts", [{"type": "thinking"}, {"type": "text", "text": TEXT}], "reply")
_content("content_is_a_picture", [{"type": "image_url", "image_url": {"url": "x"}}], "error")
_content("content_is_a_list_of_numbers", [1, 2], "error")
_content("content_has_a_number_for_a_text", [{"type": "text", "text": 5}], "error")


@kind("error")
def tool_calls_only(wire: Wire) -> None:
    if wire.protocol == "openai":
        wire.answer(wire.body(*([] if wire.streams else [""]), finish="tool_calls"))
    elif wire.streams:
        wire.answer(wire.body(finish="tool_use"))
    else:
        wire.answer(wire.body(whole=[{"type": "tool_use", "id": "1", "name": "f", "input": {}}], finish="tool_use"))


@kind("reply", "reply", (TEXT,))
def tool_calls_beside_text(wire: Wire) -> None:
    wire.answer(wire.body(TEXT, finish="tool_calls" if wire.protocol == "openai" else "tool_use"))


@kind("reply")
def names_twice(wire: Wire) -> None:
    wire.answer(wire.body(TEXT).replace("{", '{"id": "0", ', 1))


@kind("reply")
def usage_of_words(wire: Wire) -> None:
    usage = {"prompt_tokens": "x", "completion_tokens": -1, "input_tokens": [1], "output_tokens": 1e300}
    wire.answer(wire.body(TEXT, usage=usage))


@kind("reply")
def model_that_is_a_list(wire: Wire) -> None:
    wire.answer(wire.body(TEXT, model=["m"], id=5, created="x"))


@kind("reply error", "partial reply error")
def reason_that_is_an_object(wire: Wire) -> None:
    wire.answer(wire.body(TEXT, finish={"why": "so"}))


# ---- events


@kind("reply", "reply")
def done_is_missing(wire: Wire) -> None:
    wire.answer(wire.body(TEXT) if not wire.streams else wire.event(TEXT) + wire.end(done=False))


@kind("error")
def done_alone(wire: Wire) -> None:
    wire.answer("data: [DONE]\n\n")


@kind("reply", "partial", (SAID,))
def ends_without_a_reason(wire: Wire) -> None:
    wire.answer(wire.body(SAID, finish=False) + ("data: [DONE]\n\n" if wire.streams else ""))


@kind("error", "partial")
def error_in_the_middle(wire: Wire) -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    wire.answer(wire.event(SAID) + sse(error, "error" if wire.protocol == "anthropic" else None))


@kind("error", "partial")
def garbage_in_the_middle(wire: Wire) -> None:
    wire.answer(wire.event(SAID) + 'event: content_block_delta\ndata: {"choices": [{"del\n\n')


@kind("error", "partial")
def number_in_the_middle(wire: Wire) -> None:
    wire.answer(wire.event(SAID) + "event: content_block_delta\ndata: 5\n\n")


@kind("error", "partial")
def null_in_the_middle(wire: Wire) -> None:
    wire.answer(wire.event(SAID) + "event: content_block_delta\ndata: null\n\n")


@kind("error", "partial")
def number_for_a_text_in_the_middle(wire: Wire) -> None:
    wire.answer(wire.event(SAID) + wire.event(7) + wire.end())


@kind("error", "partial")
def no_utf8_in_the_middle(wire: Wire) -> None:
    wire.answer(wire.event(SAID).encode() + b"data: \xff\xff\n\n")


@kind("error", "reply")
def line_ends_of_other_systems(wire: Wire) -> None:
    wire.answer((wire.event(SAID) + wire.event(REST) + wire.end()).replace("\n", "\r\n"))


@kind("error", "reply")
def carriage_returns_alone(wire: Wire) -> None:
    wire.answer((wire.event(SAID) + wire.event(REST) + wire.end()).replace("\n", "\r"))


@kind("error", "reply error", (TEXT, ""))
def end_before_the_text(wire: Wire) -> None:
    wire.answer(wire.end(done=False) + wire.event(SAID) + wire.event(REST))


@kind("error", "reply")
def unknown_events(wire: Wire) -> None:
    wire.answer(
        sse({"type": "ping"}, "ping")
        + wire.event(SAID)
        + sse({"type": "news"}, "news")
        + "id: \0\nretry: 999999999999999999999\n"
        + wire.event(REST)
        + wire.end()
    )


@kind("reply", "partial")
def whole_instead_of_a_stream(wire: Wire) -> None:
    wire.streams, streams = False, wire.streams
    body = json.dumps(json.loads(wire.body(TEXT)))
    wire.answer(wire.event(SAID) + body if streams else body)
