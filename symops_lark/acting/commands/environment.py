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

# Names or globs of names. They are compared with names in capitals, as Windows and some Unix
# programs write names in other cases (`Path`, `https_proxy`).
HARMLESS_VARIABLES = (
    # the user, the shell, temporary files, the time zone
    *("PATH", "HOME", "USER", "LOGNAME", "USERNAME", "SHELL", "HOSTNAME", "PWD", "TMPDIR", "TMP"),
    *("TEMP", "TZ", "TZDIR"),
    # languages, terminals and colors; builds that can be repeated
    *("LANG", "LANGUAGE", "LC_*", "TERM", "COLORTERM", "COLUMNS", "LINES", "NO_COLOR"),
    *("FORCE_COLOR", "CLICOLOR*", "PY_COLORS", "CI", "SOURCE_DATE_EPOCH"),
    # the user's folders; XDG_RUNTIME_DIR is missing on purpose: sockets are in it
    *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_DIRS"),
    *("XDG_DATA_DIRS",),
    # proxies and certificates (a proxy with a password in it is withheld by its value)
    *("HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE"),
    *("SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
    # Python
    *("VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "CONDA_EXE"),
    *("CONDA_PYTHON_EXE", "PYTHON*", "PYENV_ROOT", "PYENV_VERSION", "PIP_CACHE_DIR", "PIPX_HOME"),
    *("UV_CACHE_DIR", "UV_PYTHON", "UV_PROJECT_ENVIRONMENT", "UV_PYTHON_INSTALL_DIR"),
    *("POETRY_HOME", "POETRY_ACTIVE", "PIPENV_ACTIVE", "HATCH_ENV", "MYPYPATH", "COVERAGE_FILE"),
    *("TOX_*", "NOX_*", "PYTEST_*", "HYPOTHESIS_*", "JUPYTER_PATH"),
    # Java, Kotlin, Scala, Android, Flutter
    *("JAVA_HOME", "JDK_HOME", "JRE_HOME", "CLASSPATH", "MAVEN_HOME", "M2_HOME", "GRADLE_HOME"),
    *("GRADLE_USER_HOME", "ANT_HOME", "KOTLIN_HOME", "SCALA_HOME", "SBT_HOME", "ANDROID_HOME"),
    *("ANDROID_SDK_ROOT", "ANDROID_NDK_*", "FLUTTER_HOME", "FLUTTER_ROOT", "PUB_CACHE"),
    *("SDKMAN_DIR",),
    # Go
    *("GOPATH", "GOROOT", "GOBIN", "GOCACHE", "GOMODCACHE", "GOTMPDIR", "GOFLAGS", "GOOS"),
    *("GOARCH", "GOTOOLCHAIN", "GOENV", "CGO_ENABLED"),
    # Rust
    *("CARGO_HOME", "CARGO_TARGET_DIR", "CARGO_BUILD_*", "CARGO_INCREMENTAL", "RUSTUP_HOME"),
    *("RUSTUP_TOOLCHAIN", "RUSTFLAGS", "RUST_BACKTRACE"),
    # JavaScript
    *("NODE_ENV", "NODE_PATH", "NODE_OPTIONS", "NVM_DIR", "NVM_BIN", "NVM_INC", "FNM_DIR"),
    *("VOLTA_HOME", "PNPM_HOME", "NPM_CONFIG_CACHE", "NPM_CONFIG_PREFIX", "YARN_CACHE_FOLDER"),
    *("COREPACK_HOME", "BUN_INSTALL", "DENO_DIR", "PLAYWRIGHT_BROWSERS_PATH"),
    *("PUPPETEER_CACHE_DIR",),
    # Ruby
    *("GEM_HOME", "GEM_PATH", "BUNDLE_PATH", "BUNDLE_GEMFILE", "RBENV_ROOT", "RBENV_VERSION"),
    *("RUBYLIB",),
    # other languages
    *("PERL5LIB", "COMPOSER_HOME", "COMPOSER_CACHE_DIR", "DOTNET_ROOT", "DOTNET_CLI_HOME"),
    *("NUGET_PACKAGES", "GHCUP_INSTALL_BASE_PREFIX", "STACK_ROOT", "CABAL_DIR", "OPAMROOT"),
    *("OPAMSWITCH", "MIX_HOME", "MIX_ENV", "HEX_HOME", "ERL_LIBS", "JULIA_DEPOT_PATH", "R_HOME"),
    *("R_LIBS", "R_LIBS_*", "LUA_PATH", "LUA_CPATH"),
    # managers of versions and packages
    *("ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "HOMEBREW_PREFIX", "HOMEBREW_CELLAR"),
    *("HOMEBREW_REPOSITORY", "NIX_PATH", "NIX_PROFILES", "NIX_SSL_CERT_FILE"),
    # C and C++
    *("CC", "CXX", "CPP", "LD", "AR", "AS", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS"),
    *("MAKEFLAGS", "MAKELEVEL", "CMAKE_*_PATH", "CMAKE_GENERATOR", "PKG_CONFIG_PATH"),
    *("LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"),
    *("MANPATH", "INFOPATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "SDKROOT"),
    *("DEVELOPER_DIR", "MACOSX_*"),
    # caches of compilers, graphics cards, models
    *("CCACHE_DIR", "SCCACHE_DIR", "CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES"),
    *("OMP_NUM_THREADS", "HF_HOME", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"),
    *("TOKENIZERS_PARALLELISM",),
    # Windows
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "OS", "APPDATA"),
    *("LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES*", "COMMONPROGRAMFILES*", "USERPROFILE"),
    *("HOMEDRIVE", "HOMEPATH", "NUMBER_OF_PROCESSORS", "PROCESSOR_*", "PSMODULEPATH", "MSYSTEM"),
)
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
