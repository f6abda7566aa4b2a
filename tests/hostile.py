"""Hostile paths, by kind: what a model, or somebody who speaks through it, could write to get out of the root.

`REFUSED` must never become a change; `ASKED` may, after a question; `PROTECTED` only with an allowance.
"""

from __future__ import annotations

from itertools import product

# fmt: off
_SECRET = ("etc/passwd", ".bashrc")
_UPS = ("..", "../..", "a/..", "a/../..", "./..", "a/./..", "a/b/../../..", ".../..", "../.")
_DOTS = ("．．", "‥", "․․", ".．", "｡｡", "…")
_SLASHES = ("／", "∕", "⁄", "⧸", "＼", "﹨", "∖", "⧵", "╱")
_HIDDEN = ("\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u200e", "\u202e", "\u2066", "\u206a",
           "\ufe0f",
           "\u180e", "\u034f", "\u3164", "\u115f", "\U000e0041", "\U000e0100", "\u061c")
_CONTROLS = ("\0", "\x01", "\t", "\n", "\r", "\x1b", "\x7f", "\x85", "\x9b", "\u2028", "\u2029", "\ud800")
_DEVICES = ("CON", "con", "Con", "PRN", "AUX", "NUL", "nul", "COM1", "com9", "COM0", "LPT1", "lpt9", "COM¹", "LPT²",
            "CONIN$", "CONOUT$", "CLOCK$", "ｃｏｎ", "ＮＵＬ", "cOn")
_GIT = (".git", ".GIT", ".Git", ".gIt", "．git", ".ｇｉｔ", ".gⓘt", ".ℊit", "GIT~1", "git~1", "Git~2", "gi7eba~1",
        ".git.",
        ".git ", ".git..", ".git . .", ".g\u200cit", ".gi\u200dt", "\ufeff.git", ".git\u200f",
        ".git::$INDEX_ALLOCATION",
        ".git:config", ".gıt", ".gİt", ".git\u0301", ".ɡit", ".gі𝚝", ".hg", ".svn", ".SVN", ".bzr", ".jj", ".symops")

REFUSED: dict[str, list[str]] = {
    "traversal": [*_UPS, *(f"{up}/{name}" for up, name in product(_UPS, _SECRET))],
    "dots": [".", "./", "./.", "a/.", "a/./b", "..", "...", "....", "a/.../b", ". .", ".. ", " ..", "..\u00a0",
             "a/.. /b"],
    "dots by other characters": [f"{dots}/{name}" for dots, name in product(_DOTS[:4], _SECRET)] + list(_DOTS[:4]),
    "slashes by other characters": [f"..{slash}etc{slash}passwd" for slash in _SLASHES]
    + [f"a{slash}b" for slash in _SLASHES],
    "encoded": ["%2e%2e/etc", "%2E%2E%2Fetc", "..%2fetc", "..%5cetc", "a%00.py", "c%3a/x", "%2e%2e%2f%2e%2e"],
    "backslashes": ["..\\etc", "a\\b", "\\", "\\etc", "\\\\host\\share\\x", "\\\\?\\C:\\x", "\\\\.\\PhysicalDrive0",
                    "a\\..\\..\\b", "a/..\\b", "\\??\\C:\\x"],
    "absolute": ["/", "/etc/passwd", "/a", "//host/share/x", "///a", "/./a", "/../a", "//?/C:/x", "/dev/null",
                 "/proc/self/mem"],
    "drives": ["C:", "C:x", "C:/x", "c:/x", "C:\\x", "z:a/b", "C:..", "C：/x", "Ｃ:/x", "file:///etc/passwd",
               "http://x/y", "a:b", "a.py:stream", "a.py::$DATA"],
    "home": ["~", "~/x", "~root/x", "~/.ssh/config", "a/~/b", "～/x", "~+/x", "$HOME/x", "${HOME}/x", "$(id)/x",
             "%APPDATA%/x", "%USERPROFILE%/x", "a/$PATH"],
    "empty": ["", " ", "  ", "\t", "a//b", "a/", "a/b/", "./", ".//a", "a/ /b", "a/　/b"],
    "blanks and dots at the end": ["a.", "a ", " a", "a. ", "a/b./c", "a/b /c", "a/ b", "a.py.", "a.py ", "a\u00a0",
                                   "\u3000a", "a\u2003/b", "a．", "a\u0338/b", "C꞉/x", "a∶b"],
    "characters": [f"a{c}b" for c in '<>:"|?*'] + ["a＜b", "a＞b", "a：b", "a＂b", "a｜b", "a？b", "a＊b"],
    "controls": [f"a{c}b" for c in _CONTROLS] + [f"a/b{c}" for c in _CONTROLS],
    "hidden": [f"a{c}b.py" for c in _HIDDEN] + ["evil\u202eyp.exe", "\u2067a/b\u2069"],
    "devices": [*_DEVICES, *(f"{name}.txt" for name in _DEVICES), *(f"a/{name}/b" for name in _DEVICES[:6]),
                                                                                                       "con .txt",
                "NUL.tar.gz", "aux.h"],
    "version control": [*_GIT, *(f"{name}/config" for name in _GIT), "a/.git/hooks/pre-commit", ".git/./config",
                        "sub/.GIT/HEAD", ".git\\hooks\\x"],
    "short names": ["PROGRA~1/x", "ENV~1", "a/SSH~1/config", "docume~2.txt", "ABCDEF~12.PY"],
    "long": ["a" * 256, "a/" * 600 + "b", "a/" * 64 + "b", "あ" * 100, "x" * 100_000, "a/" * 100_000],
}
ASKED: dict[str, list[str]] = {
    "mixed scripts": ["аpp.py", "арp.py", "pаypal.js", "sеtup.py", "mаin.py", "ѕrc/a.py", "αpp.py", "mοdule.py",
                      "ԁata.py",
                      "Ꭺpp.py", "conſig.py", "բile.py"],
    "looks like Latin": ["сор/x.py", "ореn.sh", "аре.py", "ΑΡΡ.py", "ху.md", "Ѕ.txt"],
    "a plainer form": ["ａｐｐ.py", "𝐚pp.py", "ﬁle.py", "①.md", "ſetup.py", "a\u00a0b.py", "cafe\u0301.md", "ｱ.md",
                       "x²"],
    "hyphen": ["-rf", "--help", "a/-x.py", "-"],
    "trusted files": [".github/workflows/ci.yml", ".GitHub/Workflows/ci.yml", ".gitlab-ci.yml", "Jenkinsfile",
                      ".circleci/config.yml", ".husky/pre-commit", ".gitattributes", ".gitmodules",
                      ".vscode/tasks.json",
                      "a/.vscode/settings.json", ".devcontainer/x", "site/x.pth", "sitecustomize.py", ".bashrc",
                      ".zshrc",
                      ".pre-commit-config.yaml", "azure-pipelines.yml", ".mcp.json", "CODEOWNERS",
                      "secrets/x", "HEAD", "a/head"],
}
PROTECTED: list[str] = [
    ".env", ".ENV", "a/.env", ".env.local", ".env.production", "prod.env", ".envrc", "server.pem", "KEY.PEM",
    "tls.key",
    "id_rsa", "a/id_rsa.pub", "ID_RSA", "id_ed25519", ".ssh/config", "home/.ssh/authorized_keys", ".SSH/x",
    ".aws/credentials",
    ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", "x.p12", "x.kdbx", ".kube/config", ".gnupg/x",
    "terraform.tfstate", "prod.tfvars", "secrets.yml", "config/credentials.json",
    ".docker/config.json", ".pgpass", "x.ppk",
]
HARMLESS: list[str] = [
    "a.py", "./a.py", "src/a.py", "設計/仕様.md", "テスト.py", "Привет.txt",
    "русский/файл.py", "ελληνικά.md", "한글.md", "中文/文件.md", "naïve.md", "café.py", "a b.py", "a,b.txt", "x@y",
    "[id].tsx",
    "$id.tsx", "routes/$user.tsx", "a+b.c", "(x).md", "Makefile", ".gitignore", ".gitkeep", ".env.example", "git",
    "gitx/a",
    "environment.py", "console.py", "com10.txt", "nuls", "auxiliary.h", "a~", "a~b.py", "keys.py", "secrets.py",
    "src/hooks/useX.ts",
    "100%.md", "#x", "!x", "a'b", "x;y", "a&b", "..a", "a..b", "...a", ".hidden", "emoji😀.md",
    "日本語とEnglish.md", "々.md",
]
