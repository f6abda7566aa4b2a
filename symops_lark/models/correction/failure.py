"""What is wrong with a reply as a whole: empty, refused, cut off or malformed."""

from __future__ import annotations

import re
from enum import StrEnum

from ...core.document import Completeness, ErrorNote, Question
from ...core.ground.members import as_member
from ...core.replies.messages import Finish
from ...core.result import Result
from ...core.validator import is_acceptable

LEAST = 0.5  # a document less sure than this is asked for again, unless the user wants more


class Failure(StrEnum):
    """The kinds of replies that cannot be used as they are."""

    EMPTY = "empty"
    REFUSED = "refused"
    CUT_OFF = "cut-off"
    MALFORMED = "malformed"


def find_failure(result: Result, finish: Finish = Finish.UNKNOWN, least: float = LEAST) -> Failure | None:
    """Return what keeps a reply from being used; None if nothing does.

    `finish` is what the provider says about the end of the reply. A question or an error note to the user is an answer
    and no failure.
    """
    finish = as_member(Finish, finish, "finish")
    if not result.text.strip():
        return Failure.REFUSED if finish.declined else Failure.EMPTY
    # A filter stops the same reply again.
    if finish is Finish.FILTERED:
        return Failure.REFUSED
    if not result.document.actions and (finish is Finish.REFUSED or refuses(result.text)):
        return Failure.REFUSED
    actions = result.document.actions
    if finish.cut_off or (actions and actions[-1].completeness is Completeness.TRUNCATED):
        return Failure.CUT_OFF
    if not is_acceptable(result.document) or not result.valid:
        return Failure.MALFORMED
    if any(isinstance(section, Question | ErrorNote) for section in result.document.sections):
        return None
    return Failure.MALFORMED if result.confidence < least else None


def refuses(text: str) -> bool:
    """Return whether a reply begins as models do that decline a task; only its first lines are looked at."""
    return _REFUSAL.match(text.lstrip()[:_LOOKED_AT]) is not None


_LOOKED_AT = 400
_REFUSAL = re.compile(
    r"""(?:[^\n.!。]{0,40}[.!,。、]\s+)?                        # "Thank you for asking. "
    (?:I(?:['’]m|\ am)\ (?:very\ |really\ |so\ )?(?:sorry|afraid|unable|not\ able|not\ comfortable)
    |(?:I\ )?apologi[sz]e|sorry,?\ (?:but\ )?I
    |I\ (?:can(?:['’]t|not|\ not)|won['’]t|will\ not|must\ decline|have\ to\ decline|need\ to\ decline)
    |(?:unfortunately|regrettably),?\ I\ (?:can|am|will|won)
    |As\ an\ AI(?:\ language\ model|\ assistant)?,?\ I\ (?:can|am|do)
    |申し訳(?:ありません|ございません)|恐れ入りますが|お手伝いできません|ご(?:要望|依頼)には(?:お応え|対応)でき)
    """,
    re.IGNORECASE | re.VERBOSE,
)
