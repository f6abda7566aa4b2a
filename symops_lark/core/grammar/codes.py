"""The diagnostic codes that this package uses by name.

No other module has a code as a literal, so a module that misspells one fails when it is loaded
(`tests/core/grammar/test_mistakes.py`). All mistakes that a reading can assume are in the recovery
grammar (`mistakes`); this module has only those of them that code asks for.
"""

from __future__ import annotations

# ---- mistakes of the recovery grammar
BLANK_BEFORE_BLOCK = "blank-before-block"
CLOSER_FOR_OPENER = "closer-for-opener"
DELIMITER_FOR_FENCE = "delimiter-for-fence"
DOUBLED_CLOSER = "doubled-closer"
DOUBLED_OPENER = "doubled-opener"
FENCE_AROUND_BLOCK = "fence-around-block"
FENCE_FOR_OPENER = "fence-for-opener"
MISSING_CLOSER = "missing-closer"
MISSING_CLOSER_AT_END = "missing-closer-at-end"
MISSING_CONTENT = "missing-content"
MISSING_OPENER = "missing-opener"
NEAR_CLOSER = "near-closer"
OPENER_ON_HEAD = "opener-on-head"
ORPHAN_BLOCK = "orphan-block"
PROSE = "prose"
STRAY_DELIMITER = "stray-delimiter"
STRAY_FENCE = "stray-fence"
STRAY_TAG = "stray-tag"
STRAY_TEXT = "stray-text"
THINK = "think"
UNCLOSED_THINK = "unclosed-think"
WRAPPED_THOUGHT = "wrapped-thought"

# ---- mistakes of a section or reply as a whole, not of one line
DRAFT_ACTION = "draft-action"  # a section that was read as an action may be part of a draft
EARLY_CLOSE = "early-close"  # a content may continue after its end
LOST_ACTION = "lost-action"  # an intended action is not in the document; lowers the confidence
OUTSIDE_LAYOUT = "outside-layout"
UNCLOSED_BLOCK = "unclosed-block"
UNREADABLE_SECTION = "unreadable-section"  # lines that begin a section but do not form one

# ---- other diagnostics of reading
BYTE_LEVEL_TEXT = "byte-level-text"
DOUBTFUL_DIALECT = "doubtful-dialect"
EARLEY_LIMIT = "earley-limit"
INVENTED_NAME = "invented-name"
NESTED_SECTION = "nested-section"
TEXT_BEHIND_CLOSER = "text-behind-closer"

# ---- the discourse of a reply: who speaks, and is it asked for now
BEHIND_THE_END = "behind-the-end"
INVENTED_TURN = "invented-turn"
NOT_ASKED = "not-asked"
OTHER_SPEAKER = "other-speaker"
THOUGHT = "thought"

# ---- pieces of the transport in contents, commands and paths
BLOCK_FOR_COMMAND = "block-for-command"
CALL_FOR_CONTENT = "call-for-content"
CONFLICT_MARKS = "conflict-marks"
ESCAPED_COMMAND = "escaped-command"
NO_COMMAND = "no-command"
PATH_LINE = "path-line"
PROSE_IN_CODE = "prose-in-code"
TEXT_FOR_BINARY = "text-for-binary"
TRANSPORT_END = "transport-end"
TRANSPORT_LINE = "transport-line"
TWO_IN_ONE = "two-in-one"

# ---- diagnostics of the strict parser
CAPITAL_VERB = "capital-verb"
CODE_FENCE = "code-fence"
DECORATED_PATH = "decorated-path"
INDENTED_MARK = "indented-mark"
MISSING_ACTION_MARK = "missing-action-mark"
# Only its message is used: the diagnostic has the code `missing-action-mark`.
MISSING_ALL_MARKS = "missing-all-marks"
MISSING_PATH = "missing-path"
MISSING_TARGET_MARK = "missing-target-mark"
TIGHT_MARK = "tight-mark"
UNEXPECTED_TEXT = "unexpected-text"

# ---- edits of the error-correcting parser, for any grammar
MISSING_TOKEN = "missing-token"
NO_TOKEN = "no-token"
WRONG_INDENTATION = "wrong-indentation"
SKIPPED_TEXT = "skipped-text"
UNEXPECTED_TOKEN = "unexpected-token"
UNFINISHED_TOKEN = "unfinished-token"
WRONG_TOKEN = "wrong-token"

# ---- checks of a document and its sections
CIRCULAR_DEPENDENCY = "circular-dependency"
DANGLING_DEPENDENCY = "dangling-dependency"
DUPLICATE_TARGET = "duplicate-target"
EMPTY_DOCUMENT = "empty-document"
MARKED_UNFINISHED = "marked-unfinished"
MISSING_TARGET = "missing-target"
NEEDLESS_CONTENT = "needless-content"
NUMBER_GAP = "number-gap"
NUMBER_REPEATED = "number-repeated"
REPEATED_ATTRIBUTE = "repeated-attribute"
REPEATED_COMMAND = "repeated-command"
SECOND_TARGET = "second-target"
UNKNOWN_VERB = "unknown-verb"
VITALS_OUT_OF_RANGE = "vitals-out-of-range"

# ---- checks of values
CDATA_CONTENT = "cdata-content"
CONTROL_TOKEN = "control-token"
DIFF_AS_CONTENT = "diff-as-content"
DOUBTFUL_COMMAND = "doubtful-command"
DOUBTFUL_PATH = "doubtful-path"
ECHOED_TEMPLATE = "echoed-template"
ESCAPED_HTML = "escaped-html"
ESCAPED_LINES = "escaped-lines"
ESCAPED_QUOTES = "escaped-quotes"
FENCED_CONTENT = "fenced-content"
HERE_DOCUMENT = "here-document"
LANGUAGE_LINE = "language-line"
LEFT_OUT_CODE = "left-out-code"
LINE_NUMBERS = "line-numbers"
ODD_LAYOUT = "odd-layout"
PLACEHOLDER_CONTENT = "placeholder-content"
SMART_QUOTES = "smart-quotes"
WRITTEN_TWICE = "written-twice"

# ---- formats of other agents
BROKEN_ARGUMENTS = "broken-arguments"
BROKEN_SECTION = "broken-section"
EXPANDED_TEXT = "expanded-text"
FILE_MODE = "file-mode"
FILE_WITHOUT_VERB = "file-without-verb"
HOLDS_ANOTHER_SECTION = "holds-another-section"
INDENTED_SECTION = "indented-section"
LEFT_OUT_COMMAND = "left-out-command"
LOST_TEXT = "lost-text"
MARK_IN_CONTENT = "mark-in-content"
MISSING_ARGUMENT = "missing-argument"
NAME_IN_SENTENCE = "name-in-sentence"
NEAR_MARK = "near-mark"
NO_CLOSING_MARK = "no-closing-mark"
NO_FINAL_LINE_FEED = "no-final-line-feed"
NO_FILE_NAMED = "no-file-named"
NOT_IN_FORMAT = "not-in-format"
PARTIAL_WRITE = "partial-write"
PART_OF_A_FILE = "part-of-a-file"
REPEATED_PARAMETER = "repeated-parameter"
SAME_FILE_TWICE = "same-file-twice"
SHELL_FENCE = "shell-fence"
TWO_FILE_NAMES = "two-file-names"
UNKNOWN_ARGUMENT = "unknown-argument"
UNKNOWN_TOOL = "unknown-tool"
UNSIGNED_LINES = "unsigned-lines"
