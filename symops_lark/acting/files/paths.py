"""Check paths as text; nothing here looks at a folder.

Purpose
    A path from a model must name a plain file below the root. It is *refused* if any system could
    take it for something else, because a plan may be carried out on another system than it was
    made on. It is *doubted*, so that a person is asked, if it only looks odd.

Invariants
    1. A path that is not refused leads below the root on every system, links aside (`files.view`
       handles those): `tests/acting/test_policy.py`, `python -m benchmarks.attacks paths`.
    2. Compatible characters are checked too: `．．/x` with full-width dots is refused as `../x`,
       because some file systems normalize names.

Theory of operation
    `check_path` first checks the complete text (`_refuse_whole`), then each part as it is and in
    the Unicode form NFKC (`_refuse_part`), and collects doubts about each part (`_doubts`).

        src/a.py        accepted
        ./src/a.py      accepted as src/a.py
        ../a.py         refused: it has a part of dots only
        src/аpp.py      doubted: the first letter is Cyrillic

References
    Names of devices and short names: Microsoft, "Naming Files, Paths, and Namespaces". Scripts that
    occur together: Unicode Technical Standard 39, "Highly Restrictive".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from unicodedata import category, combining, normalize
from unicodedata import name as name_of

from ...core.ground.numbers import counted

MAX_PART_BYTES = 255  # what file systems allow for one name
MAX_PARTS = 64  # deeper trees are rare, and each part costs a system call

# `con`, `lpt1`; not `console`. With any extension these are devices: `con.py` is one.
_DEVICES = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|clock\$|(com|lpt)[0-9])\Z")
# Names that Windows makes up for long ones: `GIT~1`, `PROGRA~1.TXT`; not `a~b`.
_SHORT_NAME = re.compile(r"[^.~]{1,6}~[0-9]+(\..{0,3})?\Z")
# `.`, `/`, `\`, NUL and `:` in percent encoding: `%2e%2e`; not `100%`.
_ENCODED = re.compile(r"%(2e|2f|5c|00|3a)", re.IGNORECASE)
# Variables of shells: `$HOME`, `${x}`, `$(ls)`, `%TEMP%`; not `$x` or `US$5`.
_VARIABLE = re.compile(r"\$[A-Z_]{2,}\Z|\$[{(]|%[A-Za-z_]+%")
# Characters that look like slashes or colons.
_LIKE_SLASHES = "\u2044\u2215\u2216\u29f5\u29f8\u29f9\ufe68\u2571\u2572\u0337\u0338\u2236\ua789"
# Characters that Windows reserves, and their look-alikes; `unseen` has refused controls by then.
_RESERVED = frozenset('<>:"|?*\\/' + _LIKE_SLASHES)
# Characters without ink that Unicode does not class as such, and selectors of variants.
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SELECTOR = re.compile("[\ufe00-\ufe0f\u180b-\u180f\U000e0000-\U000e0fff]")
# Categories: controls, formats, surrogates, line and paragraph separators.
_UNSEEN_CATEGORIES = ("Cc", "Cf", "Cs", "Zl", "Zp")
# Folders whose files are run or trusted by version control, and the journal of this program.
_INTERNALS = frozenset((".git", ".hg", ".svn", ".bzr", ".jj", ".symops"))
# Letters that look like those of these folders: `.gıt` with a dotless i.
_PLAIN = str.maketrans("ıɩɪɡɢᴛтһԍѕᴠѵіј", "iiiggtthgsvvij")
# Letters of other scripts that look Latin. A word of such letters alone is doubted: `сору`.
_LATIN_LOOKS = {
    "CYRILLIC": frozenset("асеһіјӏорԛѕԝхуАВСЕНІЈКМОРԚЅТԜХУѴѵғҮү"),
    "GREEK": frozenset("αινορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧγκω"),
}
# Scripts that ordinary Japanese, Chinese and Korean words mix.
_TOGETHER = (
    frozenset(("LATIN", "CJK", "HIRAGANA", "KATAKANA")),
    frozenset(("LATIN", "CJK", "BOPOMOFO")),
    frozenset(("LATIN", "CJK", "HANGUL")),
)
# First words of names of characters that are not names of scripts.
_SCRIPTS = {"FULLWIDTH": "LATIN", "HALFWIDTH": "KATAKANA", "IDEOGRAPHIC": "CJK"}


@dataclass(frozen=True, slots=True)
class PathCheck:
    """The result of a check.

    Attributes:
        path: The path as it will be used, without `./` at its beginning.
        refusal: Why it is refused; empty if it is not.
        doubts: Reasons to ask a person about it.
    """

    path: str
    refusal: str = ""
    doubts: tuple[str, ...] = ()


def check_path(text: str, max_bytes: int = 1024) -> PathCheck:
    """Check whether a path may be used below a root: relative, POSIX, plain names only.

    Args:
        text: The path as it was written.
        max_bytes: The highest length, in bytes of UTF-8.

    Returns:
        The path to use, and what is wrong or odd about it.
    """
    path = text.removeprefix("./")
    refusal = _refuse_whole(text, max_bytes)
    if refusal:
        return PathCheck(path, refusal)
    doubts = []
    for part in path.split("/"):
        compatible = normalize("NFKC", part)
        refusal = _refuse_part(part) or _refuse_part(compatible, "in its compatible form ")
        if refusal:
            return PathCheck(path, refusal)
        doubts += _doubts(part)
    # A file HEAD next to folders objects and refs makes a bare repository, with hooks that Git
    # runs.
    if fold(part) == "head":
        doubts.append(
            f"a file named {part} can make a repository of Git of its folder, where files are run"
        )
    return PathCheck(path, doubts=tuple(dict.fromkeys(doubts)))


def fold(name: str) -> str:
    """Return a form that is equal for names that some system takes for one.

    Case, compatible characters (NFKC) and characters without ink are ignored.
    """
    if name.isascii():
        return name.lower()
    normalized = normalize("NFKC", name)
    visible = "".join(c for c in normalized if category(c) != "Cf")
    # Removing and folding may each produce a text that is not normalized any more.
    folded = normalize("NFKC", visible).casefold()
    return normalize("NFKC", folded)


def folders_of(path: str) -> list[str]:
    """Return the folders that a path is in, outer ones first."""
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def is_internal(path: str) -> bool:
    """Return whether a path leads through a folder of version control or of this program."""
    return not _INTERNALS.isdisjoint(map(fold, path.split("/")))


def unseen(text: str) -> str:
    """Return the first character that is invisible or changes the direction of writing.

    Args:
        text: The text.

    Returns:
        The character, or an empty string.
    """
    if text.isascii():
        hidden = _CONTROL.search(text)
        return hidden[0] if hidden else ""
    for character in text:
        if category(character) in _UNSEEN_CATEGORIES or character in _UNSEEN:
            return character
        if _SELECTOR.match(character):
            return character
    return ""


def _refuse_whole(text: str, max_bytes: int) -> str:
    """Return why a complete path is refused, or an empty string."""
    if not text.strip():
        return "it is empty"
    # Characters first: encoding a huge text only to measure it would cost time and memory.
    if len(text) > max_bytes or _size(text) > max_bytes:
        limit = counted(max_bytes, "byte")
        return f"it is longer than {limit}"
    hidden = unseen(text)
    if hidden:
        return f"it holds a character that cannot be seen (U+{ord(hidden):04X})"
    if "\\" in text or text.startswith("//"):
        return (
            "it has a backslash, or begins as the name of another computer; "
            "parts are separated by one slash"
        )
    if text.startswith("/"):
        return "it is absolute; paths are relative to the root"
    if re.match(r"[A-Za-z]:", text):
        return "it names a drive; paths are relative to the root"
    if text.count("/") >= MAX_PARTS:
        return f"it has more than {MAX_PARTS} parts"
    if text.endswith("/"):
        return "it names a folder; only files are written and deleted"
    return ""


def _refuse_part(part: str, form: str = "") -> str:
    """Return why one part of a path is refused, after the words `form`; empty if it is not."""
    if not part:
        return f"{form}it has an empty part"
    if not part.strip("."):
        return f"{form}it has a part of dots only ({part}), which leads elsewhere"
    if not _RESERVED.isdisjoint(part):
        return f'{form}it has one of the characters < > : " | ? * \\ or one that looks like them'
    # Windows removes blanks and dots at the end of a name, so `.git.` would be `.git`.
    if part != part.strip() or part.endswith("."):
        return f"{form}a part ({part!r}) begins or ends with a blank, or ends with a dot"
    if part.startswith("~"):
        return f"{form}a part begins with a tilde, which stands for a home folder"
    if _SHORT_NAME.match(part):
        return f"{form}{part} looks like a short name, which stands for another file on Windows"
    if _ENCODED.search(part) or _VARIABLE.search(part):
        return f"{form}{part} has a variable or an encoded character, which is not replaced here"
    folded = fold(part)
    if _DEVICES.match(folded.partition(".")[0].rstrip(" ")):
        return f"{form}{part} is the name of a device on Windows"
    if _skeleton(folded) in _INTERNALS:
        return f"{form}{part} holds what version control, or this program, keeps for itself"
    if _size(part) > MAX_PART_BYTES:
        return f"{form}a part is longer than {MAX_PART_BYTES} bytes"
    return ""


def _size(text: str) -> int:
    """Return the number of bytes of UTF-8, also of a name with half of a surrogate pair."""
    return len(text.encode("utf-8", "surrogatepass"))


def _skeleton(folded: str) -> str:
    """Return a name without accents and with look-alikes of its letters replaced."""
    if folded.isascii():
        return folded
    decomposed = normalize("NFKD", folded)
    bare = "".join(c for c in decomposed if not combining(c))
    return bare.translate(_PLAIN)


def _doubts(part: str) -> list[str]:
    """Return what is odd about one part of a path."""
    doubts = []
    if part.startswith("-"):
        doubts.append(f"{part} begins with a hyphen, as options of commands do")
    if part.isascii():
        return doubts
    plain = normalize("NFKC", part)
    if plain != part:
        doubts.append(f"{part} can be written in a plainer form: {plain}")
    # Private use and unassigned: fonts show anything, or a box.
    if any(category(c) in ("Co", "Cn") for c in part):
        doubts.append(f"{part} has a character without a meaning")
    for word in re.findall(r"[^\W\d_]+", part):
        doubts += _doubts_about_scripts(word)
    return doubts


def _doubts_about_scripts(word: str) -> list[str]:
    """Return whether a word mixes scripts, or is in another one than it looks."""
    # Modifier letters, such as the prolonged sound mark of Japanese, belong to several scripts.
    scripts = {_script(c) for c in word if category(c) != "Lm"}
    if len(scripts) > 1 and not any(scripts <= together for together in _TOGETHER):
        names = ", ".join(sorted(scripts)).lower()
        return [f"{word} mixes letters of several scripts ({names})"]
    for script, letters in _LATIN_LOOKS.items():
        if scripts == {script} and letters.issuperset(word):
            return [f"{word} looks like Latin letters, but is {script.lower()}"]
    return []


def _script(character: str) -> str:
    """Return the script of a letter: the first word of its name, as Python has no other table."""
    word = name_of(character, "UNKNOWN").split()[0].partition("-")[0]
    return _SCRIPTS.get(word, word)
