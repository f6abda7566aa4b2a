"""The environment of commands: what is known to be harmless passes, and what somebody names; nothing else does.

A list of what must not pass is never complete (`MYSQL_PWD`, `SLACK_WEBHOOK_URL`), so this is one of what may.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase

# Names in capitals, compared so: people, languages, terminals, places of tools, and what compilers are told.
HARMLESS_VARIABLES = (
    *(
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "USERNAME",
        "SHELL",
        "HOSTNAME",
        "PWD",
        "TMPDIR",
        "TMP",
        "TEMP",
        "TZ",
        "TZDIR",
    ),
    *("LANG", "LANGUAGE", "LC_*", "TERM", "COLORTERM", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR*"),
    *("PY_COLORS", "CI", "SOURCE_DATE_EPOCH", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"),
    *("XDG_CONFIG_DIRS", "XDG_DATA_DIRS", "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
    *("VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "CONDA_EXE", "CONDA_PYTHON_EXE"),
    *("PYTHON*", "PYENV_ROOT", "PYENV_VERSION", "PIP_CACHE_DIR", "PIPX_HOME", "UV_CACHE_DIR", "UV_PYTHON"),
    *("UV_PROJECT_ENVIRONMENT", "UV_PYTHON_INSTALL_DIR", "POETRY_HOME", "POETRY_ACTIVE", "PIPENV_ACTIVE", "HATCH_ENV"),
    *("MYPYPATH", "COVERAGE_FILE", "TOX_*", "NOX_*", "PYTEST_*", "HYPOTHESIS_*", "JUPYTER_PATH"),
    *("JAVA_HOME", "JDK_HOME", "JRE_HOME", "CLASSPATH", "MAVEN_HOME", "M2_HOME", "GRADLE_HOME", "GRADLE_USER_HOME"),
    *("ANT_HOME", "KOTLIN_HOME", "SCALA_HOME", "SBT_HOME", "ANDROID_HOME", "ANDROID_SDK_ROOT", "ANDROID_NDK_*"),
    *("FLUTTER_HOME", "FLUTTER_ROOT", "PUB_CACHE", "SDKMAN_DIR", "GOPATH", "GOROOT", "GOBIN", "GOCACHE", "GOMODCACHE"),
    *("GOTMPDIR", "GOFLAGS", "GOOS", "GOARCH", "GOTOOLCHAIN", "GOENV", "CGO_ENABLED", "CARGO_HOME", "CARGO_TARGET_DIR"),
    *("CARGO_BUILD_*", "CARGO_INCREMENTAL", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "RUSTFLAGS", "RUST_BACKTRACE"),
    *("NODE_ENV", "NODE_PATH", "NODE_OPTIONS", "NVM_DIR", "NVM_BIN", "NVM_INC", "FNM_DIR", "VOLTA_HOME", "PNPM_HOME"),
    *("NPM_CONFIG_CACHE", "NPM_CONFIG_PREFIX", "YARN_CACHE_FOLDER", "COREPACK_HOME", "BUN_INSTALL", "DENO_DIR"),
    *("PLAYWRIGHT_BROWSERS_PATH", "PUPPETEER_CACHE_DIR", "GEM_HOME", "GEM_PATH", "BUNDLE_PATH", "BUNDLE_GEMFILE"),
    *("RBENV_ROOT", "RBENV_VERSION", "RUBYLIB", "PERL5LIB", "COMPOSER_HOME", "COMPOSER_CACHE_DIR", "DOTNET_ROOT"),
    *("DOTNET_CLI_HOME", "NUGET_PACKAGES", "GHCUP_INSTALL_BASE_PREFIX", "STACK_ROOT", "CABAL_DIR", "OPAMROOT"),
    *("OPAMSWITCH", "MIX_HOME", "MIX_ENV", "HEX_HOME", "ERL_LIBS", "JULIA_DEPOT_PATH", "R_HOME", "R_LIBS", "R_LIBS_*"),
    *("LUA_PATH", "LUA_CPATH", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "HOMEBREW_PREFIX", "HOMEBREW_CELLAR"),
    *("HOMEBREW_REPOSITORY", "NIX_PATH", "NIX_PROFILES", "NIX_SSL_CERT_FILE", "CC", "CXX", "CPP", "LD", "AR", "AS"),
    *("CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "MAKEFLAGS", "MAKELEVEL", "CMAKE_*_PATH", "CMAKE_GENERATOR"),
    *("PKG_CONFIG_PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "MANPATH"),
    *("INFOPATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "SDKROOT", "DEVELOPER_DIR", "MACOSX_*"),
    *("CCACHE_DIR", "SCCACHE_DIR", "CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS", "HF_HOME"),
    *("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "TOKENIZERS_PARALLELISM", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR"),
    *("COMSPEC", "PATHEXT", "OS", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES*", "COMMONPROGRAMFILES*"),
    *("USERPROFILE", "HOMEDRIVE", "HOMEPATH", "NUMBER_OF_PROCESSORS", "PROCESSOR_*", "PSMODULEPATH", "MSYSTEM"),
)
_WORDS = "KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|CREDENTIAL|COOKIE|AUTH"
_SECRET_NAME = re.compile(rf"(?:{_WORDS})S?[0-9]*$|(?:^|_)(?:{_WORDS})S?_|_(?:PAT|DSN)[0-9]*$", re.IGNORECASE)
_OWN_NAMES = frozenset(("PWD", "OLDPWD"))  # of the shell, no passwords
_SECRET_VALUE = re.compile(
    r"://[^\s,;]*@"  # an address with somebody's name or password in it
    r"|(?:^|[\s,;='\"])[^\s:/@,;='\"]+:[^\s/@]+@[^\s@]"  # the same without its scheme
    r"|(?i:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|access[_-]?key|accountkey|sharedaccess\w*|signature"
    r"|sig|credentials?|auth(?:orization)?)[\"']?\s?[=:][\"']?\s?[^\s&;,]"
    r"|(?i:\b(?:bearer|basic)\s+[A-Za-z0-9+/=._~-]{8})"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY|\bAGE-SECRET-KEY-|\beyJ[A-Za-z0-9_-]{8,}\."
    r"|(?<![\w-])(?:gh[oprsu]_|github_pat_|gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-|[rs]k_(?:live|test)_|xapp-"
    r"|dckr_pat_|dop_v1_|nvapi-|sntry[a-z]_|whsec_|ATATT3|xox[a-z]-|pypi-Ag|sk-(?:ant|or|proj|svcacct)-)\w{4}"
    r"|(?<![\w-])(?:sk-|hf_|npm_|rubygems_|shp[a-z]{2}_|gsk_|r8_|glsa_|lin_api_|figd_|tskey-|pul-)[A-Za-z0-9]{10}"
    r"|\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12}|\bAIza[\w-]{20}|\bya29\.|\bSG\.[\w-]{8}"
    r"|hooks\.slack\.com/|discord(?:app)?\.com/api/webhooks/|\.webhook\.office\.com/"
)
_SHORTEST = 8  # a shorter value would also be found in words that are no secret


def clean_environment(environment: Mapping[str, str], allow: tuple[str, ...] = ()) -> dict[str, str]:
    """Return what of an environment a command sees: harmless names, and those that match one of `allow`.

    A value that carries a credential, or is a copy of one, passes under no name but one that `allow` spells out.
    """
    named = {name for name in environment if name in allow}
    secrets = [
        value
        for name, value in environment.items()
        if name not in named and len(value) >= _SHORTEST and not value.startswith("/") and _is_secret(name, value)
    ]
    globs = (*HARMLESS_VARIABLES, *(glob.upper() for glob in allow if set("*?").intersection(glob)))
    return {
        name: value
        for name, value in environment.items()
        if name in named
        or (
            any(fnmatchcase(name.upper(), glob) for glob in globs)
            and not _is_secret(name, value)
            and not any(secret in value for secret in secrets)
        )
    }


def _is_secret(name: str, value: str) -> bool:
    told = name.upper() not in _OWN_NAMES and _SECRET_NAME.search(name)
    return bool(told or _SECRET_VALUE.search(value))
