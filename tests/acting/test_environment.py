"""What commands see of the environment: what is known to be harmless, and no credential under any name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.acting.commands.commands import Runner
from symops_lark.acting.commands.environment import HARMLESS_VARIABLES, clean_environment

SECRETS = (
    *("OPENAI_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "MY_SECRET", "DB_PASSWORD", "PGPASSWORD", "mykey"),
    *("SECRETS", "KEY_OF_MINE", "API_TOKEN_2", "GH_PAT", "SENTRY_DSN", "SSH_AUTH_SOCK", "NPM_AUTH", "MYSQL_PWD"),
    *("HF_TOKEN1", "AZURE_STORAGE_CONNECTION_STRING", "SLACK_WEBHOOK_URL", "PIP_EXTRA_INDEX_URL", "PIP_INDEX_URL"),
    *("DATABASE_URL", "REDIS_URL", "MONGODB_URI", "AMQP_URL", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "GOPROXY"),
    *("DOCKER_AUTH_CONFIG", "DOCKER_HOST", "KUBECONFIG", "GOOGLE_APPLICATION_CREDENTIALS", "AWS_PROFILE", "RCLONE_X"),
    *("TWILIO_SID", "STRIPE_LIVE", "VAULT_ADDR", "CONSUL_HTTP_ADDR", "LDAP_BIND", "SMTP_URL", "S3_ENDPOINT", "NETRC"),
    *("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "GPG_AGENT_INFO"),
    *("SSH_AGENT_PID", "SSH_CONNECTION", "SUDO_COMMAND", "MAVEN_OPTS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"),
    *("GIT_ASKPASS", "GIT_CONFIG_PARAMETERS", "BASH_FUNC_x%%", "PROMPT_COMMAND", "NPM_CONFIG__AUTH", "HOMEBREW_TAP"),
)
HARMLESS = {
    "PATH": "/opt/homebrew/opt/openssl@3/bin:/usr/bin:/home/a@b/bin",
    "HOME": "/home/a",
    "LANG": "en_GB.UTF-8",
    "LC_ALL": "C",
    "LC_TIME": "C",
    "TERM": "xterm-256color",
    "TZ": "Europe/Berlin",
    "TMPDIR": "/tmp",
    "USER": "a",
    "SHELL": "/bin/sh",
    "VIRTUAL_ENV": "/home/a/.venv",
    "CONDA_PREFIX": "/opt/conda",
    "JAVA_HOME": "/usr/lib/jvm/17",
    "GOPATH": "/home/a/go",
    "CARGO_HOME": "/home/a/.cargo",
    "PYTHONPATH": "src:tests",
    "NODE_OPTIONS": "--max-old-space-size=4096",
    "CFLAGS": "-O2 -DNAME=1",
    "HTTP_PROXY": "http://proxy.example:3128",
    "https_proxy": "http://[::1]:3128/",
    "no_proxy": "localhost,127.0.0.1,.example",
    "TOKENIZERS_PARALLELISM": "false",
    "PWD": "/home/a",
    "CI": "true",
    "HF_HOME": "/data/hf_models_cache",
    "LD_LIBRARY_PATH": "/nix/store/x-glib-networking-2.8/lib:/opt/npm_packages_dir:/opt/task-sk-manager",
    "Path": "C:\\Windows",
    "SystemRoot": "C:\\Windows",
    "ProgramFiles(x86)": "C:\\Program Files (x86)",
}
CREDENTIALS = (
    *("https://me:pw@host/x", "http://token@proxy:3128", "me:secret1@proxy:3128", "http://us%40er:p%2Fw@proxy"),
    *(
        "https://u:p/w@host",
        "ghp_0123456789abcdefghij",
        "a ghs_0123456789 b",
        "github_pat_11ABCDEFG0",
        "glpat-abcdefghij",
    ),
    *("sk-ant-api03-abcdef", "sk-proj-abcdefghijk", "xoxb-123456-abcdef", "AKIAIOSFODNN7EXAMPLE", "hf_abcdefghijklmno"),
    *("AIzaSyA0123456789abcdefghijkl", "eyJhbGciOiJIUzI1NiJ9.eyJ.x", "npm_0123456789abcdef", "pypi-AgEIcHlwaS5vcmc"),
    *("-----BEGIN OPENSSH PRIVATE KEY-----", "Authorization: Bearer abcdefghijk", "Basic dXNlcjpwYXNzd29yZA=="),
    *("Server=x;Password=y;", "AccountName=a;AccountKey=b==", "-Dhttp.proxyPassword=x", "--api-key=abc", "token: abc"),
    *("https://x.example/?sig=abc", "https://x.example/a?access_token=b", "https://hooks.slack.com/services/T/B/x"),
    *('{"auth": "abc"}', "https://s3.example/?X-Amz-Signature=ab", "https://discord.com/api/webhooks/1/x"),
)
SECRET = "hunter2hunter2"


def test_harmless_variables_pass() -> None:
    assert clean_environment(HARMLESS | dict.fromkeys(SECRETS, SECRET)) == HARMLESS


@pytest.mark.parametrize("value", CREDENTIALS)
@pytest.mark.parametrize("name", ["PATH", "HTTPS_PROXY", "NODE_OPTIONS", "LC_X"])
def test_a_credential_passes_under_no_name_but_one_that_is_spelt_out(name: str, value: str) -> None:
    assert clean_environment({name: value, "HOME": "/h"}) == {"HOME": "/h"}
    for globs in (("*",), (f"{name[:2]}*",)):
        assert name not in clean_environment({name: value}, globs)
    assert clean_environment({name: value}, (name,)) == {name: value}


def test_what_is_allowed_besides() -> None:
    environment = {"MY_MODE": "fast", "MY_API_KEY": SECRET, "my_mood": "calm", "OTHER": "x", "HOME": "/h"}
    assert clean_environment(environment) == {"HOME": "/h"}
    assert clean_environment(environment, ("MY_*",)) == {"HOME": "/h", "MY_MODE": "fast", "my_mood": "calm"}
    assert clean_environment(environment, ("MY_API_KEY",)) == {"HOME": "/h", "MY_API_KEY": SECRET}
    assert clean_environment(environment, ("*", "MY_API_KEY")) == environment


def test_copies_of_secrets_do_not_pass() -> None:
    environment = {"MY_TOKEN": SECRET, "NODE_OPTIONS": f"--x {SECRET}", "HOME": "/h", "SECRET_DIR": "/h", "A_KEY": "/"}
    assert clean_environment(environment) == {"HOME": "/h"}, "and a path is no secret"


@given(st.dictionaries(st.text("ABC_", min_size=1), st.text(max_size=9)), st.lists(st.text("AB*?[", max_size=3)))
def test_nothing_is_made_up(environment: dict[str, str], allow: list[str]) -> None:
    visited = clean_environment(environment, tuple(allow))
    assert visited.items() <= environment.items()
    assert all(name in visited for name in environment if name in allow)


def test_the_list_names_no_secret() -> None:
    for glob in HARMLESS_VARIABLES:
        name = glob.replace("*", "X")
        assert glob == glob.upper() and clean_environment({name: "x"}) == {name: "x"}, glob


def test_commands_see_no_secrets_and_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MY_API_KEY", "MY_TOKEN", "OF_MINE"):
        monkeypatch.setenv(name, SECRET)
    monkeypatch.setenv("TOX_ENV", "yes")
    code = 'import os; print(*(os.environ.get(n) for n in ("MY_API_KEY", "MY_TOKEN", "TOX_ENV", "PWD")))'
    line = f"{sys.executable} -c '{code}'"
    result = Runner().run(line, tmp_path)
    assert result.output == f"None None yes {tmp_path}\n"
    assert {"MY_API_KEY", "MY_TOKEN", "OF_MINE"} <= set(result.withheld) and "TOX_ENV" not in result.withheld
    assert SECRET not in str(result.to_dict())
    result = Runner(allow=("MY_TOKEN", "OF_*")).run(line, tmp_path)
    assert result.output == f"None {SECRET} yes {tmp_path}\n" and "MY_TOKEN" not in result.withheld
    assert "OF_MINE" in result.withheld, "a copy of a secret"
