"""What a path may be. Pure text: nothing here looks at a folder.

A path is refused when any system could take it for something else than a plain name below the root: what is harmless
here may not be so where the plan is carried out. What only looks odd is asked about.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from ...core.ground.numbers import counted

MAX_PART_BYTES = 255  # what file systems allow for one name
MAX_PARTS = 64

_DEVICES = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|clock\$|(com|lpt)[0-9])\Z")
_SHORT_NAME = re.compile(r"[^.~]{1,6}~[0-9]+(\..{0,3})?\Z")  # as Windows makes them: GIT~1
_ENCODED = re.compile(r"%(2e|2f|5c|00|3a)", re.IGNORECASE)
_VARIABLE = re.compile(r"\$[A-Z_]{2,}\Z|\$[{(]|%[A-Za-z_]+%")
_LIKE_SLASHES = frozenset("\u2044\u2215\u2216\u29f5\u29f8\u29f9\ufe68\u2571\u2572\u0337\u0338\u2236\ua789")  # or colons
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U000e0100")
_SELECTOR = re.compile("[\ufe00-\ufe0f\u180b-\u180f\U000e0000-\U000e0fff]")
_INTERNALS = frozenset((".git", ".hg", ".svn", ".bzr", ".jj", ".symops"))
_PLAIN = str.maketrans("ıɩɪɡɢᴛтһԍѕᴠѵіј", "iiiggtthgsvvij")  # what could stand for a letter of these names
_LATIN_LOOKS = {
    "CYRILLIC": frozenset("асеһіјӏорԛѕԝхуАВСЕНІЈКМОРԚЅТԜХУѴѵғҮү"),
    "GREEK": frozenset("αινορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧγκω"),
}
_TOGETHER = (
    frozenset(("LATIN", "CJK", "HIRAGANA", "KATAKANA")),
    frozenset(("LATIN", "CJK", "BOPOMOFO")),
    frozenset(("LATIN", "CJK", "HANGUL")),
)


@dataclass(frozen=True, slots=True)
class PathCheck:
    """What was found about a path: the path as it will be used, why it is refused, why to ask about it."""

    path: str
    refusal: str = ""
    doubts: tuple[str, ...] = ()


def check_path(text: str, max_bytes: int = 1024) -> PathCheck:
    """Return whether a path may be used below a root: relative, POSIX, `./` at its beginning taken off."""
    path = text.removeprefix("./")
    refusal = _refuse_whole(text, max_bytes)
    if refusal:
        return PathCheck(path, refusal)
    doubts: list[str] = []
    for part in path.split("/"):
        refusal = _refuse_part(part) or _refuse_part(unicodedata.normalize("NFKC", part), "in its compatible form ")
        if refusal:
            return PathCheck(path, refusal)
        doubts += _doubts(part)
    if fold(part) == "head":
        doubts.append(f"a file named {part} can make a repository of Git of its folder, where files are run")
    return PathCheck(path, doubts=tuple(dict.fromkeys(doubts)))


def fold(name: str) -> str:
    """Return the form in which two names are one for a system that ignores case or the form of characters."""
    if name.isascii():
        return name.lower()
    kept = "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf")
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", kept).casefold())


def folders_of(path: str) -> list[str]:
    """Return the folders that a path is in, outer ones first."""
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def is_internal(path: str) -> bool:
    """Return whether a path leads through what version control, or this program, keeps for itself."""
    return not _INTERNALS.isdisjoint(map(fold, path.split("/")))


def unseen(text: str) -> str:
    """Return the first character that cannot be seen or turns the direction of writing, or an empty text."""
    if text.isascii():
        return next((c for c in text if c < " " or c == "\x7f"), "")
    kinds = ("Cc", "Cf", "Cs", "Zl", "Zp")
    return next((c for c in text if unicodedata.category(c) in kinds or c in _UNSEEN or _SELECTOR.match(c)), "")


def _refuse_whole(text: str, max_bytes: int) -> str:
    if not text.strip():
        return "it is empty"
    if len(text) > max_bytes or len(text.encode("utf-8", "surrogatepass")) > max_bytes:
        return f"it is longer than {counted(max_bytes, 'byte')}"
    hidden = unseen(text)
    if hidden:
        return f"it holds a character that cannot be seen (U+{ord(hidden):04X})"
    if "\\" in text or text.startswith("//"):
        return "it has a backslash, or begins as the name of another computer; parts are separated by one slash"
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
    """Return why one part of a path is refused; called again for what compatible characters stand for."""
    if not part:
        return f"{form}it has an empty part"
    if not part.strip("."):
        return f"{form}it has a part of dots only ({part}), which leads elsewhere"
    if any(c in '<>:"|?*\\/' or c in _LIKE_SLASHES or c < " " for c in part):
        return f'{form}it has one of the characters < > : " | ? * \\ or one that looks like them'
    if part[-1] in ". " or part[-1].isspace() or part[0].isspace():
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
    if folded in _INTERNALS or _skeleton(folded) in _INTERNALS:
        return f"{form}{part} holds what version control, or this program, keeps for itself"
    if len(part.encode("utf-8", "surrogatepass")) > MAX_PART_BYTES:
        return f"{form}a part is longer than {MAX_PART_BYTES} bytes"
    return ""


def _skeleton(folded: str) -> str:
    """Return a name without accents and with look-alikes of its letters replaced."""
    if folded.isascii():
        return folded
    bare = "".join(c for c in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(c))
    return bare.translate(_PLAIN)


def _doubts(part: str) -> list[str]:
    doubts = [f"{part} begins with a hyphen, as options of commands do"] if part.startswith("-") else []
    if part.isascii():
        return doubts
    if unicodedata.normalize("NFKC", part) != part:
        doubts.append(f"{part} can be written in a plainer form: {unicodedata.normalize('NFKC', part)}")
    if any(unicodedata.category(c) in ("Co", "Cn") for c in part):
        doubts.append(f"{part} has a character without a meaning")
    for word in re.findall(r"[^\W\d_]+", part):
        scripts = {_script(c) for c in word if unicodedata.category(c) != "Lm"}
        if len(scripts) > 1 and not any(scripts <= together for together in _TOGETHER):
            doubts.append(f"{word} mixes letters of several scripts ({', '.join(sorted(scripts)).lower()})")
        elif any(looks.issuperset(word) for script, looks in _LATIN_LOOKS.items() if scripts == {script}):
            doubts.append(f"{word} looks like Latin letters, but is {scripts.pop().lower()}")
    return doubts


def _script(character: str) -> str:
    word = unicodedata.name(character, "UNKNOWN").split()[0].partition("-")[0]
    return {"FULLWIDTH": "LATIN", "HALFWIDTH": "KATAKANA", "IDEOGRAPHIC": "CJK"}.get(word, word)
