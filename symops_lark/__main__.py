"""`python -m symops_lark` is the command `symops`."""

from __future__ import annotations

from .cli import main

if __name__ == "__main__":
    main()
