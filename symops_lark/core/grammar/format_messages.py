"""What findings about replies in the formats of other agents say."""

from __future__ import annotations

from . import codes

MESSAGES = {
    codes.FILE_MODE: "this diff sets the mode of a file, or makes a link or a submodule: an action "
    "only writes text",
    codes.FILE_WITHOUT_VERB: "a file is named beside its text, but no verb asks to write it",
    codes.NAME_IN_SENTENCE: "the file's name is taken from the sentence above",
    codes.SHELL_FENCE: "the reply ends with a fence of a shell, but no verb asks to run it",
    codes.HOLDS_ANOTHER_SECTION: "the content contains the beginning of another section of this "
    "format: it may be two",
    codes.NO_CLOSING_MARK: "the mark that closes this section is missing: its content "
    "may be longer",
    codes.MARK_IN_CONTENT: "the content begins or ends with a mark of this format: it may be "
    "repeated by mistake",
    codes.REPEATED_PARAMETER: "a parameter occurs twice in one call: it may be two calls, and the "
    "first has no end",
    codes.TWO_FILE_NAMES: "the two headings of this diff name different files",
    codes.UNKNOWN_ARGUMENT: "an argument of this call is not known, or has no part in the "
    "action ({detail}): it may change what it means",
    codes.EXPANDED_TEXT: "the shell would replace `$`, backquotes and backslashes in this text: "
    "quote the word of the here-document to keep them",
    codes.EARLY_CLOSE: "another end of this section follows: its content may be longer",
    codes.SAME_FILE_TWICE: "the reply contains this file more than once, with different contents",
    codes.PART_OF_A_FILE: "the content is only a part of the file: lines represent code that was "
    "left out",
    codes.INDENTED_SECTION: "the section is indented; the same blanks were taken off its content",
    codes.LEFT_OUT_COMMAND: "lines of a shell beside this file are left out: they may change its "
    "folder, or use it",
    codes.NO_FINAL_LINE_FEED: "this diff ends the new file without a line feed: an action ends it "
    "with one",
    codes.UNSIGNED_LINES: "lines of the patch have no sign: what they mean is not certain",
    codes.BROKEN_ARGUMENTS: "the arguments are not valid JSON; their missing end was added",
    codes.BROKEN_SECTION: "a mark of the format {name} begins this line, but no section could be "
    "read here: an action may be lost",
    codes.UNKNOWN_TOOL: "a call of a tool that is not known to write files or to run commands is "
    "left out",
    codes.PARTIAL_WRITE: "a call is left out that changes a part of a file, by lines or at its "
    "end, or whose tool is not known: no action says that",
    codes.MISSING_ARGUMENT: "a call is left out: its path, content or command is missing, or "
    "has a name that is not known",
    codes.NO_FILE_NAMED: "a fence without a file's name is a sample and is left out",
}
