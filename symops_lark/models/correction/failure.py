"""Find why a reply cannot be used: it is empty, a refusal, truncated or malformed."""

from __future__ import annotations

import re
from enum import StrEnum

from ...core.document import Completeness, ErrorNote, Question
from ...core.ground.members import as_member
from ...core.replies.messages import Finish
from ...core.result import Result
from ...core.validator import is_acceptable

LEAST = 0.5  # the default of `SelfCorrector.least_confidence`
_BEGINNING = 400  # characters in which a refusal is searched for
_REFUSAL = re.compile(
    r"""(?:[^\n.!。]{0,40}[.!,。、]\s+)?                        # "Thank you for asking. "
    (?:I(?:['’]m|\ am)\ (?:very\ |really\ |so\ )?(?:sorry|afraid|unable|not\ able|not\ comfortable)
    |(?:I\ )?apologi[sz]e|sorry,?\ (?:but\ )?I
    |I\ (?:can(?:['’]t|not|\ not)|won['’]t|will\ not|(?:must|have\ to|need\ to)\ decline)
    |(?:unfortunately|regrettably),?\ I\ (?:can|am|will|won)
    |As\ an\ AI(?:\ language\ model|\ assistant)?,?\ I\ (?:can|am|do)
    |申し訳(?:ありません|ございません)|恐れ入りますが|お手伝いできません|ご(?:要望|依頼)には(?:お応え|対応)でき)
    """,
    re.IGNORECASE | re.VERBOSE,
)


class Failure(StrEnum):
    """The kinds of replies that cannot be used as they are."""

    EMPTY = "empty"
    REFUSED = "refused"
    CUT_OFF = "cut-off"
    MALFORMED = "malformed"


def find_failure(
    result: Result, finish: Finish = Finish.UNKNOWN, least: float = LEAST
) -> Failure | None:
    """Return why a reply cannot be used.

    A question to the user is an answer, not a failure, and so is an error note.

    Args:
        result: The result of reading the reply.
        finish: The reason why the reply ended, from the provider.
        least: The least confidence of a usable document, from 0 to 1.

    Returns:
        The failure; None if the reply can be used.
    """
    finish = as_member(Finish, finish, "finish")
    if not result.text.strip():
        if finish.declined:
            return Failure.REFUSED
        return Failure.EMPTY
    # A filter stops the same reply again.
    if finish is Finish.FILTERED:
        return Failure.REFUSED
    actions = result.document.actions
    if not actions and (finish is Finish.REFUSED or refuses(result.text)):
        return Failure.REFUSED
    if finish.cut_off:
        return Failure.CUT_OFF
    if actions and actions[-1].completeness is Completeness.TRUNCATED:
        return Failure.CUT_OFF
    if not is_acceptable(result.document) or not result.valid:
        return Failure.MALFORMED
    if any(isinstance(section, Question | ErrorNote) for section in result.document.sections):
        return None
    if result.confidence < least:
        return Failure.MALFORMED
    return None


def refuses(text: str) -> bool:
    """Return whether the first lines of a reply decline the task, in words that models use."""
    return _REFUSAL.match(text.lstrip()[:_BEGINNING]) is not None
