"""Make a copy of a public project that a language server can read: packages are linked, crates are described."""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SUFFIXES = {
    "typescript": (".ts", ".tsx", ".js", ".cjs"), "go": (".go",), "python": (".py",), "rust": (".rs",),
}  # fmt: skip
_KINDS = ("dependencies", "dev-dependencies", "build-dependencies")
_ROOTS = ("src/main.rs", "build.rs", "examples/*.rs", "tests/*.rs", "benches/*.rs")


def find_language(paths: Iterable[str]) -> str:
    """Return the language that most files of a project have."""
    suffixes = Counter(Path(path).suffix for path in paths)
    return max(SUFFIXES, key=lambda language: sum(suffixes[suffix] for suffix in SUFFIXES[language]))


def copy_project(project: Path, language: str, folder: Path) -> Path:
    """Return the folder to compare in: a copy with what the server needs, or the project itself."""
    if language == "go":
        return project  # a package is found by the place of its folder
    shutil.copytree(project, folder, ignore=shutil.ignore_patterns("node_modules", "target"))
    if language == "rust":
        (folder / "rust-project.json").write_text(json.dumps(describe_crates(folder)), encoding="utf-8")
    elif language == "typescript":
        link_packages(folder)
    elif not (folder / "pyrightconfig.json").exists():
        # Else code for other systems is taken for dead, and has no references.
        (folder / "pyrightconfig.json").write_text('{"pythonPlatform": "All"}', encoding="utf-8")
    return folder


def link_packages(folder: Path) -> None:
    """Link the packages of a workspace in `node_modules`, as npm does."""
    for manifest in sorted(folder.glob("packages/*/package.json")):
        name = json.loads(manifest.read_text("utf-8")).get("name")
        link = folder / "node_modules" / (name or manifest.parent.name)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(manifest.parent)


def describe_crates(folder: Path) -> dict[str, Any]:
    """Return the crates of a workspace as rust-analyzer reads them where Cargo has no network.

    `RUST_SRC` names a copy of `library` of the sources of Rust, without its `Cargo.toml`: with that file
    rust-analyzer asks Cargo for the dependencies of the standard library.
    """
    shared = _read(folder / "Cargo.toml").get("workspace", {})
    crates: list[dict[str, Any]] = []
    libraries: dict[Path, int] = {}
    paths: list[list[tuple[str, Path]]] = []
    for path in sorted(folder.rglob("Cargo.toml")):
        manifest, home = _read(path), path.parent
        library = manifest.get("lib", {}).get("path", "src/lib.rs")
        for pattern in (library, *_ROOTS) if "package" in manifest else ():
            for root in sorted(home.glob(pattern)):
                if pattern == library:
                    libraries[home] = len(crates)
                crates.append(_describe_crate(manifest, shared, root))
                own = [] if pattern == library else [(crates[-1]["display_name"], home)]
                paths.append(own + _paths_of_dependencies(manifest, home, shared, folder))
    for crate, needed in zip(crates, paths, strict=True):
        there = [(name, libraries[path]) for name, path in needed if path in libraries]
        crate["deps"] = [{"crate": number, "name": name.replace("-", "_")} for name, number in there]
    return {"sysroot_src": os.environ.get("RUST_SRC"), "crates": crates}


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}


def _describe_crate(manifest: dict[str, Any], shared: dict[str, Any], root: Path) -> dict[str, Any]:
    package = manifest["package"]
    edition = package.get("edition", "2015")
    if not isinstance(edition, str):
        edition = shared["package"]["edition"]
    features = (f'feature="{feature}"' for feature in manifest.get("features", ()))
    return {
        "display_name": manifest.get("lib", {}).get("name", package["name"]).replace("-", "_"),
        "root_module": str(root),
        "edition": edition,
        "cfg": ["test", *features],
        "is_workspace_member": True,
    }


def _paths_of_dependencies(
    manifest: dict[str, Any], home: Path, shared: dict[str, Any], folder: Path
) -> list[tuple[str, Path]]:
    """Return the dependencies that are folders of the workspace, under the names that the code uses."""
    paths: dict[str, Path] = {}
    for part in (manifest, *manifest.get("target", {}).values()):
        for name, value in ((name, value) for kind in _KINDS for name, value in part.get(kind, {}).items()):
            is_shared = isinstance(value, dict) and value.get("workspace")
            expected = shared.get("dependencies", {}).get(name) if is_shared else value
            if isinstance(expected, dict) and "path" in expected:
                paths[name] = ((folder if is_shared else home) / expected["path"]).resolve()
    return list(paths.items())
