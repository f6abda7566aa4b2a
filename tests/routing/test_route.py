"""`symops route` from end to end: models over HTTP on loopback that damage their replies, asked by OpenAI's SDK."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from command_line import run
from route_models import changed, simulated_models, write_model

from symops_lark import process
from symops_lark.lab.benchmark.sources import local_model
from symops_lark.lab.benchmark.tasks import load_tasks
from symops_lark.routing import Contestant, Flow, Manifest, Registry, RoutingError, Trust, open_model

TASK = "csv-cleaner"


@pytest.fixture(name="models", scope="module")
def make_models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Path]]:
    """Two processes that serve three models: one obeys, one wraps and cuts, one writes in a foreign format."""
    folder = tmp_path_factory.mktemp("models")
    kinds = {"obedient": (), "sloppy": ("whole-fence-wrap", "missing-sigil"), "foreign": ("foreign-format",)}
    for name, value in kinds.items():
        rates = {kind: {"rate": 1.0, "class": "assumed", "why": "a test"} for kind in value}
        head = {"summary": "A test.", "again": [0.5], "again-class": "assumed", "again-why": "a test"}
        (folder / f"{name}.yaml").write_text(yaml.safe_dump({**head, "kinds": rates}), encoding="utf-8")
    paths = {name: str(folder / f"{name}.yaml") for name in kinds}
    manifests = folder / "manifests"
    with simulated_models(manifests, [paths["obedient"], paths["foreign"]], [paths["sloppy"]]) as result:
        yield result


def request(name: str = TASK) -> str:
    return load_tasks([name])[0].request


def named(models: list[Path]) -> list[str]:
    return [word for model in models for word in ("-m", str(model))]


@pytest.mark.slow
def test_the_one_that_obeys_answers(models: list[Path]) -> None:
    done = run("route", "run", *named(models), "--tag", "format:symops", stdin=request())
    assert done.exit_code == 0, done.stderr
    assert process(done.stdout, "v2").phase == "strict"
    assert done.stderr.startswith("simulated-obedient@1.0.0, winner: ")
    table = {line.split()[0]: line for line in done.stderr.splitlines()[2:]}
    assert len(table) == 3 and "PASS" in table["simulated-obedient@1.0.0"]


@pytest.mark.slow
def test_it_is_the_same_one_in_any_order_of_the_models(models: list[Path]) -> None:
    for order in (models, models[::-1], models[1:] + models[:1]):
        data = json.loads(run("route", "run", *named(order), "--json", stdin=request()).stdout)
        assert (data["model_id"], data["way"]) == ("simulated-obedient", "winner")
        rewards = [candidate["reward"] for candidate in data["selection"]["ranking"]]
        assert rewards == sorted(rewards, reverse=True)
        assert data["events"][0]["event"] == "INFER_REQUEST"


def test_an_answer_goes_to_a_file(models: list[Path], tmp_path: Path) -> None:
    done = run("route", "run", *named(models), "--quiet", "-o", str(tmp_path / "reply"), stdin=request())
    assert (done.exit_code, done.output) == (0, "")
    assert process((tmp_path / "reply").read_text(encoding="utf-8"), "v2").phase == "strict"


def test_nobody_is_sure(models: list[Path]) -> None:
    done = run("route", "run", *named(models), stdin="What is the weather like?")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("UNSURE: none of 3 passed") and "no reply passed" in done.stderr
    done = run("route", "run", *named(models), "--json", "--tag", "format:xml", "hello")
    data = json.loads(done.stdout)
    assert (done.exit_code, data["status"], data["output"]) == (1, "UNSURE", None)
    assert [skipped["why"] for skipped in data["skipped"]] == ["it has 0% of the tags, and 50% is the least"] * 3


def test_a_registry_notes_that_a_model_is_missing(models: list[Path], tmp_path: Path) -> None:
    path = str(tmp_path / "registry.db")
    assert run("route", "register", *map(str, models), "--registry", path).exit_code == 0
    assert run("route", "run", "--registry", path, "--tag", "format:symops", stdin=request()).exit_code == 0
    with Registry(path) as registry:
        assert "MODEL_ADD_REQUEST" not in [event.kind for event in registry.history()]
    assert run("route", "run", "--registry", path, "--tag", "format:xml", "hello").exit_code == 1
    with Registry(path) as registry:
        [event] = [event for event in registry.history() if event.kind == "MODEL_ADD_REQUEST"]
    assert event.data["reason"] == "no-candidate"


def test_simulated_models_have_a_supply_chain(models: list[Path]) -> None:
    done = run("route", "validate", *map(str, models))
    assert done.exit_code == 0 and done.stdout.count(": OK\n") == 3


@pytest.mark.slow
def test_an_audit_by_the_tasks_of_the_benchmark(models: list[Path], tmp_path: Path) -> None:
    tasks = ["--from-tasks", "c*", "--from-tasks", "h*"]
    done = run("route", "audit", *tasks, *named(models), "--json")
    table = {model["model_id"]: model for model in json.loads(done.stdout)["models"]}
    assert done.exit_code == 1, "the foreign one does not pass"
    assert table["simulated-obedient"]["rate"] == 1 and table["simulated-obedient"]["ok"]
    assert table["simulated-foreign"]["rate"] < 0.95 and table["simulated-foreign"]["failures"]
    path = tmp_path / "audit.json"
    assert run("route", "audit", *tasks, "--write", str(path)).exit_code == 0
    (tmp_path / "m2.json").write_text('{"name": "metric_v2", "lambda": 1}')
    alone = named([model for model in models if "obedient" in model.name])
    done = run("route", "audit", str(path), *alone, "--metric", str(tmp_path / "m2.json"))
    assert done.exit_code == 0 and "metric_v1: reward" in done.stdout and "metric_v2: reward" in done.stdout


def test_a_server_that_is_gone_is_a_failed_candidate(models: list[Path], tmp_path: Path) -> None:
    data = yaml.safe_load((models[0] / "model.yaml").read_text(encoding="utf-8"))
    data |= {"model_id": "gone", "provider": {"name": "vllm", "model": "x", "base_url": "http://127.0.0.1:9/v1"}}
    gone = tmp_path / "gone"
    gone.mkdir()
    for file in models[0].iterdir():
        (gone / file.name).write_bytes(file.read_bytes())
    (gone / "model.yaml").write_text(yaml.safe_dump(data))
    fields = json.loads(run("route", "run", *named([*models, gone]), "-k", "4", "--json", stdin=request()).stdout)
    [lost] = [attempt for attempt in fields["tries"] if attempt["model_id"] == "gone"]
    assert fields["model_id"] == "simulated-obedient" and "cannot be reached" in lost["error"]


# ---- what a manifest may not do


def test_a_manifest_runs_no_command_by_itself(tmp_path: Path) -> None:
    provider = {"name": "command", "command": f"touch {tmp_path}/run; echo '{{\"x\": 1}}'"}
    folder = write_model(tmp_path / "model", changed("provider", provider))
    done = run("route", "run", "-m", str(folder), "hello")
    assert done.exit_code == 2 and "--allow-commands" in done.stderr
    assert not (tmp_path / "run").exists()
    done = run("route", "run", "-m", str(folder), "--allow-commands", "hello")
    assert (done.exit_code, done.stdout) == (0, '{"x": 1}\n') and (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "address",
    ["https://evil.example/v1", "http://127.0.0.1.evil.example/v1", "http://10.0.0.1/v1", "http://[::ffff:8.8.8.8]/v1"],
)
def test_a_manifest_sends_no_key_elsewhere_by_itself(address: str, tmp_path: Path) -> None:
    provider = {"name": "vllm", "model": "m", "base_url": address}
    manifest = Manifest.load(write_model(tmp_path, changed("provider", provider)))
    with pytest.raises(RoutingError, match="--allow-host"):
        open_model(manifest)
    host = str(urlsplit(address).hostname)
    assert open_model(manifest, Trust(hosts=(host,))).name == "vllm:m"


@pytest.mark.parametrize("address", ["", "x", "http://", "http://[/v1"])
def test_what_is_no_address_is_told(address: str, tmp_path: Path) -> None:
    provider = {"name": "vllm", "model": "m", "base_url": address or "://"}
    folder = write_model(tmp_path, changed("provider", provider))
    with pytest.raises(RoutingError, match="not an address"):
        Manifest.load(folder)


def test_addresses_of_this_machine_are_asked(tmp_path: Path) -> None:
    for address in ("http://localhost:1/v1", "http://127.0.0.1:1/v1", "http://[::1]:1/v1"):
        provider = {"name": "vllm", "model": "m", "base_url": address}
        assert open_model(Manifest.load(write_model(tmp_path, changed("provider", provider)))).name == "vllm:m"
    with pytest.raises(RoutingError, match="names no provider"):
        open_model(Manifest.load(write_model(tmp_path)))


# ---- the small local model


def test_threads_that_open_the_small_model_start_one_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of eight threads found no server and started one, with its own copy of the weights."""
    started = []

    class SlowServer:
        address = "http://127.0.0.1:1"

        def __init__(self, seed: int) -> None:
            started.append(seed)
            time.sleep(0.05)

    monkeypatch.setattr(local_model, "LocalServer", SlowServer)
    manifest = Manifest.load(write_model(tmp_path, changed("provider", {"name": "local-model"})))
    with ThreadPoolExecutor(8) as threads:
        models = list(threads.map(open_model, [manifest] * 8))
    assert len(models) == 8 and len(started) == 1


@pytest.mark.slow
def test_the_small_model_competes_free_and_constrained(models: list[Path], tmp_path: Path) -> None:
    """Two more candidates: under a grammar it begins as the dialect does; neither obeys as the one that does."""
    tokens = int(os.environ.get("SYMOPS_ROUTE_TOKENS", "8"))
    data = yaml.safe_load((models[0] / "model.yaml").read_text(encoding="utf-8"))
    data["io_contract"]["input"]["required_format"] = "prompt"  # the whole prompt takes this model half a minute
    folders = []
    for name, extra in (("free", {}), ("constrained", {"constrained": "v2"})):
        data |= {"model_id": f"local-{name}", "provider": {"name": "local-model", "max_tokens": tokens, **extra}}
        folder = tmp_path / name
        folder.mkdir()
        for file in ("profile.yaml", "kinds.yaml"):
            (folder / file).write_bytes((models[0] / file).read_bytes())
        (folder / "model.yaml").write_text(yaml.safe_dump(data))
        folders.append(folder)
    manifests = [Manifest.load(path) for path in (*models, *folders)]
    flow = Flow([Contestant(manifest, open_model(manifest)) for manifest in manifests], top_k=5)
    answer = flow.run(request("typescript-debounce"))  # whose request is short
    assert answer.model_id == "simulated-obedient" and len(answer.tries) == 5
    by = {attempt.contestant.model_id: attempt for attempt in answer.tries}
    assert by["local-free"].output and by["local-constrained"].output.lstrip("\n").startswith((">>", "::", "?", "!"))
    assert not by["local-constrained"].verdict.passed, "it was cut off"
    assert not by["local-free"].error and not by["local-constrained"].error


# ---- small commands


def test_a_card(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "model")
    done = run("route", "card", str(folder))
    assert done.exit_code == 0 and "# json-writer\n" in done.stdout and "Supply chain: not OK." in done.stdout
    assert run("route", "card", str(folder), "-o", str(tmp_path / "MODEL_CARD.md")).exit_code == 0
    assert (tmp_path / "MODEL_CARD.md").read_text(encoding="utf-8") == done.stdout


def test_validate_tells_by_its_exit_code(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "model", changed("base_model.path", "base.bin"))
    assert run("route", "validate", str(folder)).exit_code == 0
    data = json.loads(run("route", "validate", str(folder), "--json").stdout)
    assert data[0]["ok"] is True and data[0]["file"] == str(folder)
    (folder / "adapter.bin").write_bytes(b"tampered")
    done = run("route", "validate", str(folder))
    assert done.exit_code == 1 and "weights: mismatch" in done.stdout
    (folder / "schemas" / "output.schema.json").unlink()
    done = run("route", "validate", str(folder))
    assert done.exit_code == 2 and "output.schema.json: cannot be read" in done.stderr
    (folder / "model.yaml").write_text("model_id: 1\n")
    done = run("route", "validate", str(folder))
    assert done.exit_code == 2 and "model.yaml:1:11: error: model_id is 1" in done.stderr


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ('[{"model_id": "a", "passed": true, "q1": 0.71, "cost": 0.33}]', 0, "a\n  a: reward 1.611, cost 0.33\n"),
        ('{"model_id": "b", "verifier_result": "PASS", "cost": 0.1}\n{"model_id": "a", "passed": true, "cost": 0.1}', 0,
         "what decided: model_id"),
        ('[{"model_id": "a", "passed": false, "cost": 0}]', 1, "no candidate passed\n"),
        ("[]", 1, "no candidate passed\n"),
        ('[{"model_id": "a", "passed": true, "cost": NaN}]', 2, "candidate 1 (a): cost is nan"),
        ('[{"model_id": "a", "passed": true, "cost": -1}]', 2, "cost is -1"),
        ('[{"model_id": "a", "passed": 1, "cost": 0}]', 2, "true or false"),
        ('[{"passed": true, "cost": 0}]', 2, "expected an object with a model_id"),
        ("[", 2, "not JSON"),
        ('\ufeff{"model_id": "a\u2028b", "passed": true, "cost": 0.1}\r\n', 0, "a<U+2028>b: reward 0.97"),
        ('[{"model_id": "a", "passed": true}]', 2, "cost is None"),
    ],
)  # fmt: skip
def test_a_winner_by_numbers(text: str, code: int, told: str) -> None:
    done = run("route", "winner", stdin=text)
    assert done.exit_code == code and told in done.output


def test_metrics_of_files(tmp_path: Path) -> None:
    path = tmp_path / "m2.json"
    path.write_text('{"name": "metric_v2", "lambda": 1.0}')
    text = '[{"model_id": "a", "passed": true, "q1": 0.71, "cost": 0.33}]'
    assert "reward 1.38," in run("route", "winner", "--metric", str(path), stdin=text).stdout
    assert "reward 1.4955," in run("route", "winner", "--metric", str(path), "--alpha", "0.5", stdin=text).stdout
    assert run("route", "winner", "--alpha", "0.5", stdin=text).exit_code == 2
    path.write_text('{"name": "metric_v2", "lamda": 1.0}')
    assert "no weight is called lamda" in run("route", "winner", "--metric", str(path), stdin=text).stderr


@pytest.mark.parametrize("command", [["run", "hi"], ["audit"], ["audit", "x.json", "--from-tasks", "c*"]])
def test_what_is_left_out_is_told(command: list[str]) -> None:
    done = run("route", *command)
    assert done.exit_code == 2 and "symops: " in done.stderr


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ('{"model_id":"","passed":true,"cost":0.1,"reward":1}', "model_id"),
        ('{"model_id":"a","passed":true,"verifier_result":"FAIL","cost":0.1,"reward":1}', "verifier_result"),
        ('{"model_id":"a","passed":true,"passed":false,"cost":0.1,"reward":1}', "a key twice"),
        ('{"model_id":"a","passed":true,"cost":0.1,"reward":1' + 400 * "0" + "}", "finite number"),
    ],
)
def test_candidates_that_contradict_themselves_are_refused(item: str, reason: str) -> None:
    for text in (item, f"[{item}]"):
        done = run("route", "winner", stdin=text)
        assert done.exit_code == 2 and reason in done.output
