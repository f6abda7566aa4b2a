"""What a sandboxed command cannot write in its folder: repositories, and the journal."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from sandboxes import make_root, needs_bwrap, python, sandboxed

from symops_lark.acting.commands.guarded import Guarded
from symops_lark.core.ground.errors import WorkspaceError

__all__ = ["make_root"]  # the fixture `root`


def git(*words: str, cwd: Path) -> None:
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b.invalid", *words], cwd=cwd, check=True, capture_output=True
    )


def prints(folder: Path) -> dict[str, bytes]:
    """Give the files below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@needs_bwrap
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_repositories_are_not_written(root: Path) -> None:
    """The folder's own, a nested one, one without a working tree, a work tree's file, and the journal."""
    for folder in (root, root / "nested/deep"):
        folder.mkdir(exist_ok=True, parents=True)
        git("init", "-q", cwd=folder)
        git("commit", "-q", "--allow-empty", "-m", "x", cwd=folder)
    git("init", "-q", "--bare", "store", cwd=root)
    git("worktree", "add", "-q", "other", cwd=root)
    (root / ".symops").mkdir()
    (root / ".symops/x").write_text("journal")
    (root / ".hg").mkdir()
    guarded = (".git", "nested/deep/.git", "store", "other/.git", ".symops", ".hg")
    before = prints(root)
    targets = [
        *(
            ".git/config",
            ".git/hooks/pre-commit",
            ".git/x",
            "nested/deep/.git/config",
            "nested/deep/.git/hooks/post-checkout",
        ),
        *(
            "store/config",
            "store/hooks/x",
            "store/x",
            "other/.git",
            ".git/worktrees/other/gitdir",
            ".symops/x",
            ".symops/1",
        ),
        ".hg/hgrc",
    ]
    text = python(
        "import os, shutil\n"
        f"for path in {targets!r}:\n"
        "    try: open(path, 'a').write('x'); print('WRITTEN', path)\n"
        "    except OSError: pass\n"
        f"for path in {guarded!r}:\n"
        "    for act in (lambda: os.rename(path, 'moved'), lambda: os.unlink(path), lambda: shutil.rmtree(path),\n"
        "                lambda: os.symlink('x', path), lambda: os.link('code.py', path + '/y'),\n"
        "                lambda: os.chmod(path, 0o777)):\n"
        "        try: act(); print('DONE', path)\n"
        "        except OSError: pass\n"
        "print('end')\n",
        root,
    )
    assert text == "end\n"
    (root / "code.py").unlink()
    assert prints(root) == before


NEW = {
    "at the top": "mkdir -p .git/hooks && echo x > .git/hooks/pre-commit",
    "a file": "echo 'gitdir: elsewhere' > .git",
    "a link": "mkdir store && ln -s store .git",
    "the journal": "mkdir -p .symops/1 && echo x > .symops/1/open.json",
}
MADE = {
    "below": ("mkdir -p sub/.git/hooks", ["sub/.git"]),
    "in other letters": ("mkdir -p sub/.GIT", ["sub/.GIT"]),
    "a file below": ("mkdir sub && echo 'gitdir: ../x' > sub/.git", ["sub/.git"]),
    "a link below": ("mkdir sub && ln -s /x sub/.git", ["sub/.git"]),
    "a journal below": ("mkdir -p sub/.symops/1", ["sub/.symops"]),
    "of another system": ("mkdir .hg && echo x > .hg/hgrc", [".hg"]),
    "without a working tree": ("mkdir -p a/objects a/refs && echo x > a/HEAD", ["a/HEAD"]),
    "in one without a working tree": ("mkdir -p a/objects a/refs a/b/.git && echo x > a/HEAD", ["a/HEAD", "a/b/.git"]),
    "the folder itself": ("mkdir -p objects refs && echo x > HEAD", ["HEAD"]),
    "where another one was": ("mv old sub && mkdir -p old/.git", ["old/.git"]),
}


@needs_bwrap
@pytest.mark.parametrize("kind", NEW)
def test_a_repository_at_the_top_cannot_be_made(root: Path, kind: str) -> None:
    result = sandboxed(NEW[kind], root)
    assert not result.ok and result.code and result.made == ()
    assert not {".git", ".symops"} & set(os.listdir(root))


@needs_bwrap
@pytest.mark.parametrize("kind", MADE)
def test_a_repository_that_is_made_is_put_aside(root: Path, kind: str) -> None:
    line, paths = MADE[kind]
    (root / "old/.git").mkdir(parents=True)
    result = sandboxed(line, root)
    assert result.code == 0 and not result.ok and "which is not allowed" in result.reason
    assert len(result.made) == len(paths)
    for path in paths:
        at = root / path
        assert not os.path.lexists(at) and len(list(at.parent.glob(f"{at.name}.kept-*"))) == 1
    file_path = root / ("sub" if line.startswith("mv") else "old") / ".git"
    assert file_path.is_dir(), "what was there before stays"


@needs_bwrap
def test_many_repositories_that_are_made(root: Path) -> None:
    result = sandboxed("for n in $(seq 50); do mkdir -p $n/.git; done", root)
    assert len(result.made) == 21 and result.made[-1] == "and 30 more"
    assert not list(root.glob("*/.git"))


def test_places_that_cannot_be_guarded(tmp_path: Path) -> None:
    def refused(root: Path, message: str) -> None:
        with pytest.raises(WorkspaceError, match=message):
            Guarded(str(root))

    refused(Path("/"), "no sandbox can guard this folder")
    (tmp_path / ".git/hooks").mkdir(parents=True)
    refused(tmp_path / ".git/hooks", "no sandbox can guard this folder")
    bare = tmp_path / "bare"
    for name in ("objects", "refs", "HEAD"):
        (bare / name).mkdir(parents=True)
    refused(bare, "what Git keeps for itself")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/.git").symlink_to(tmp_path)
    refused(tmp_path, "sub/.git is a link, which no sandbox can guard")


@pytest.mark.slow
def test_deep_folders_are_looked_at(tmp_path: Path) -> None:
    deep = [f"{tmp_path}{'/d' * depth}" for depth in range(1, 1_501)] + [f"{tmp_path}{'/d' * 1_500}/.git"]
    for folder in deep:
        os.mkdir(folder)
    guarded = Guarded(str(tmp_path))
    assert guarded.places == (deep[-1],)
    for folder in reversed(deep):
        os.rmdir(folder)
