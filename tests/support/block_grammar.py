"""A grammar with indented blocks, in which tests of indentation write their texts."""

from __future__ import annotations

BLOCKS = """
start: stmt+
stmt: NAME "=" expr _NL | "if" NAME ":" _NL block ["else" ":" _NL block]
block: _INDENT stmt+ _DEDENT
?expr: NAME | NAME "(" [expr ("," expr)*] ")"
NAME: /[a-z]+/
_NL: /(\\r?\\n[\\t ]*)+/
%declare _INDENT _DEDENT
%ignore " "
"""
