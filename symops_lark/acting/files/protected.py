"""Decide by their names which files may hold secrets.

Plans refuse such files and no tool shows their text, unless a glob allows them by name.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from ...core.patterns.regexes import compile_linear, escape
from .paths import fold

REASON = "protected"  # the code for a text that is not shown
# Files that hold secrets or give access: refused unless the policy allows them by name. Grouped
# by owner: environments, keys and certificates, SSH and GnuPG, clouds, package registries, this
# program, databases and web servers, and names that people choose.
PROTECTED = (
    *(".env", ".env.*", "*.env", ".envrc"),
    *("*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.gpg"),
    *("*.ppk", "*.ovpn"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "authorized_keys", "known_hosts"),
    *(".ssh/**", ".gnupg/**"),
    *(".aws/**", ".azure/**", ".kube/**", ".docker/**", ".config/gcloud/**", "kubeconfig"),
    *("*.tfstate", "*.tfvars"),
    *(".netrc", "_netrc", ".npmrc", ".yarnrc*", ".pypirc", ".git-credentials"),
    ".cargo/credentials*",
    "symops-lark/journal.key",  # with it, a program can forge journals that `undo` would trust
    *(".pgpass", ".my.cnf", ".htpasswd", "service-account*.json"),
    *("credentials.json", "credentials.y*ml", "credentials.toml", "credentials.csv"),
    "credentials.txt",
    *("secrets.json", "secrets.y*ml", "secrets.toml", "secrets.ini", "secrets.txt"),
)
# Templates of such files, which hold no secrets.
HARMLESS = (
    *(".env.example", ".env.sample", ".env.template", ".env.dist"),
    *("*.env.example", "*.env.sample"),
)
_GLOB = {"**": ".*", "*": "[^/]*", "?": "[^/]"}


def is_protected(
    path: str, allow: tuple[str, ...] = (), protected: tuple[str, ...] = PROTECTED
) -> bool:
    """Return whether a file may hold secrets and is not allowed by name.

    Args:
        path: The file, relative to the root.
        allow: Globs of files that are allowed. Templates of such files always are.
        protected: Globs of the files that may hold secrets.
    """
    if not matches(path, protected):
        return False
    # Templates are files: a folder of such a name allows nothing below it.
    name = path.rpartition("/")[2]
    return not (matches(name, HARMLESS) or matches(path, allow))


def matches(path: str, globs: tuple[str, ...]) -> bool:
    """Return whether a path matches one of some globs.

    Case and the form of characters are ignored, as some file systems do: `.ENV` is `.env` there.

    Args:
        path: The file, relative to the root.
        globs: Patterns. `*` stays within a name, `**` does not. A glob without a slash matches at
            any depth, and everything below a folder that it names.
    """
    return bool(globs) and _pattern(globs).search(fold(path)) is not None


# One entry for each tuple of globs in use: `protected`, `allow` and `sensitive` of a few policies.
@lru_cache(maxsize=32)
def _pattern(globs: tuple[str, ...]) -> Any:
    """Return one pattern for all globs.

    It takes linear time, because users write the globs and models write the paths. `pathspec` reads
    globs as lines of `.gitignore`, which differ: `!` removes protection, `#` is a comment, brackets
    are classes, and a slash binds the glob to the root.
    """
    rows = []
    for glob in globs:
        # `replace` also turns half of a surrogate pair, which RE2 refuses, into a question mark.
        plain = fold(glob).encode("utf-8", "replace").decode()
        pieces = re.split(r"(\*\*|\*|[?])", plain)
        row = "".join(_GLOB.get(piece, escape(piece)) for piece in pieces)
        if "/" in glob:
            rows.append(rf"(?:.*/)?{row.removeprefix('/')}")
        else:
            rows.append(rf"(?:.*/)?{row}(?:/.*)?")
    return compile_linear(rf"(?s)\A(?:{'|'.join(rows)})\z")
