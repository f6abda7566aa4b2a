"""Filter the environment of commands: harmless variables pass, and those that the user allows.

This is a list of names that may pass. A list of names that must not pass would never be complete
(`MYSQL_PWD`, `SLACK_WEBHOOK_URL`).

Two more checks look at values, because a harmless name can carry a secret: a value that looks like
a credential is withheld (`HTTP_PROXY=http://me:pw@host`), and so is a value that contains the value
of a secret variable (`NODE_OPTIONS="--token $MY_TOKEN"`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from ...core.ground.resources import read_words

# Names or globs of names. They are compared with names in capitals, as Windows and some Unix
# programs write names in other cases (`Path`, `https_proxy`).
HARMLESS_VARIABLES = read_words(Path(__file__).with_name("harmless_variables.txt"))
# Python knows its compiled files by the second and the size of the source. An agent changes a file
# twice in a second, `return 1` to `return 0`, and the tests would run the first one again.
FRESH_CODE = {"PYTHONDONTWRITEBYTECODE": "1"}
_WORDS = "KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|CREDENTIAL|COOKIE|AUTH"
# Matches MY_API_KEY, GITHUB_TOKEN2, SECRETS_DIR and SENTRY_DSN; does not match KEYBOARD or
# TOKENIZERS_PARALLELISM.
_SECRET_NAME = re.compile(
    rf"(?:{_WORDS})S?[0-9]*$"
    rf"|(?:^|_)(?:{_WORDS})S?_"
    r"|_(?:PAT|DSN)[0-9]*$",
    re.IGNORECASE,
)
_FOLDER_NAMES = frozenset(("PWD", "OLDPWD"))  # the shell's working folders, not passwords
# Matches "http://token@proxy:3128", "Password=y;" and "a ghs_0123456789 b"; does not match
# "http://proxy.example:3128", "/home/a@b/bin" or "/data/hf_models_cache". The prefixes of tokens
# are those that the providers document. After a long prefix, 4 characters are enough to be sure; a
# short one ("sk-") is also part of words and folders, so it needs 10 letters or digits in a row.
_SECRET_VALUE = re.compile(
    r"://[^\s,;]*@"  # a URL with a user name or password
    r"|(?:^|[\s,;='\"])[^\s:/@,;='\"]+:[^\s/@]+@[^\s@]"  # the same without a scheme
    # options and settings: `--api-key=x`, `Password=y`
    r"|(?i:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|access[_-]?key|accountkey"
    r"|sharedaccess\w*|signature|sig|credentials?|auth(?:orization)?)"
    r"[\"']?\s?[=:][\"']?\s?[^\s&;,]"
    r"|(?i:\b(?:bearer|basic)\s+[A-Za-z0-9+/=._~-]{8})"  # HTTP's Authorization
    r"|-----BEGIN [A-Z ]*PRIVATE KEY|\bAGE-SECRET-KEY-|\beyJ[A-Za-z0-9_-]{8,}\."  # keys, JWT
    r"|(?<![\w-])(?:gh[oprsu]_|github_pat_|gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-"
    r"|[rs]k_(?:live|test)_|xapp-|dckr_pat_|dop_v1_|nvapi-|sntry[a-z]_|whsec_|ATATT3|xox[a-z]-"
    r"|pypi-Ag|sk-(?:ant|or|proj|svcacct)-)\w{4}"
    r"|(?<![\w-])(?:sk-|hf_|npm_|rubygems_|shp[a-z]{2}_|gsk_|r8_|glsa_|lin_api_|figd_|tskey-|pul-)"
    r"[A-Za-z0-9]{10}"
    r"|\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12}|\bAIza[\w-]{20}|\bya29\.|\bSG\.[\w-]{8}"  # AWS, Google
    r"|hooks\.slack\.com/|discord(?:app)?\.com/api/webhooks/|\.webhook\.office\.com/"
)
# Characters. A shorter value would also occur in values that are not secret.
_MIN_SECRET_LENGTH = 8


def clean_environment(
    environment: Mapping[str, str], allow: tuple[str, ...] = ()
) -> dict[str, str]:
    """Return the part of an environment that a command may see.

    Args:
        environment: All variables, by name.
        allow: Names, or globs of names, that may pass besides `HARMLESS_VARIABLES`. An exact name
            passes whatever its value is. A glob does not let credentials pass.

    Returns:
        The variables that pass, with unchanged values, in the order of `environment`.
    """
    exact = {name for name in environment if name in allow}
    secrets = _find_secrets(environment, exact)
    globs = list(HARMLESS_VARIABLES)
    globs += [glob.upper() for glob in allow if set("*?").intersection(glob)]
    passing = {}
    for name, value in environment.items():
        if name in exact:
            passing[name] = value
            continue
        is_harmless = any(fnmatchcase(name.upper(), glob) for glob in globs)
        if not is_harmless or _is_secret(name, value):
            continue
        if not any(secret in value for secret in secrets):
            passing[name] = value
    return passing


def _find_secrets(environment: Mapping[str, str], exact: set[str]) -> list[str]:
    """Return the values that must not occur in other variables."""
    secrets = []
    for name, value in environment.items():
        # A path is the place of a secret (`SECRET_DIR=/h`), and part of many harmless values.
        is_usable = len(value) >= _MIN_SECRET_LENGTH and not value.startswith("/")
        if name not in exact and is_usable and _is_secret(name, value):
            secrets.append(value)
    return secrets


def _is_secret(name: str, value: str) -> bool:
    has_secret_name = name.upper() not in _FOLDER_NAMES and _SECRET_NAME.search(name)
    return bool(has_secret_name or _SECRET_VALUE.search(value))
