"""Which files may hold secrets, by their names: plans refuse them, and no tool shows their text, unless allowed."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from ...core.patterns.regexes import compile_linear, escape
from .paths import fold

REASON = "protected"  # the code for a text that is not shown
# Files that hold secrets or open doors: refused unless the policy allows them by name.
PROTECTED = (
    *(".env", ".env.*", "*.env", ".envrc"),
    *("*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.gpg", "*.ppk", "*.ovpn"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "authorized_keys", "known_hosts", ".ssh/**", ".gnupg/**"),
    *(".aws/**", ".azure/**", ".kube/**", ".docker/**", ".config/gcloud/**", "kubeconfig", "*.tfstate", "*.tfvars"),
    *(".netrc", "_netrc", ".npmrc", ".yarnrc*", ".pypirc", ".git-credentials", ".cargo/credentials*"),
    "symops-lark/journal.key",  # who knows it can make journals that are believed
    *(".pgpass", ".my.cnf", ".htpasswd", "service-account*.json"),
    *("credentials.json", "credentials.y*ml", "credentials.toml", "credentials.csv", "credentials.txt"),
    *("secrets.json", "secrets.y*ml", "secrets.toml", "secrets.ini", "secrets.txt"),
)
# Templates of such files hold none.
HARMLESS = (".env.example", ".env.sample", ".env.template", ".env.dist", "*.env.example", "*.env.sample")


def is_protected(path: str, allow: tuple[str, ...] = (), protected: tuple[str, ...] = PROTECTED) -> bool:
    """Return whether a file may hold secrets and is not allowed by name.

    Args:
        path: The file, relative to the root.
        allow: Globs of files that are allowed. Templates of such files always are.
        protected: Globs of the files that may hold secrets.
    """
    return matches(path, protected) and not matches(path, (*HARMLESS, *allow))


def matches(path: str, globs: tuple[str, ...]) -> bool:
    """Return whether a path fits one of some globs; case, and the form of characters, are ignored."""
    return bool(globs) and _pattern(globs).search(fold(path)) is not None


@lru_cache(maxsize=32)
def _pattern(globs: tuple[str, ...]) -> Any:
    """Return one pattern of all globs: `*` stays within a name, `**` does not.

    In linear time, as users write the globs and models the paths. The lines of `.gitignore` (pathspec) mean other
    things: `!` takes protection away, `#` drops it, brackets are classes, a slash binds to the root.
    """
    rows = []
    for glob in globs:
        plain = fold(glob).encode("utf-8", "replace").decode()
        row = "".join(_GLOB.get(piece, escape(piece)) for piece in re.split(r"(\*\*|\*|[?])", plain))
        if "/" in glob:
            rows.append(rf"(?:.*/)?{row.removeprefix('/')}")
        else:
            rows.append(rf"(?:.*/)?{row}(?:/.*)?")
    return compile_linear(rf"(?s)\A(?:{'|'.join(rows)})\z")


_GLOB = {"**": ".*", "*": "[^/]*", "?": "[^/]"}
