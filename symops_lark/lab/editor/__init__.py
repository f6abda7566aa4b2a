"""Language support for editors: `symops lsp` serves replies, grammars and repair rules.

`server` speaks the protocol, by pygls. The other modules need no library: each answers one kind of
request about an `EditedFile`, in offsets of its text, which `positions` converts. What an answer
contains comes from the package: the diagnostics of `symops check`, `symops grammar check` and the
loader of rules, the verbs of dialects, the comments of grammars, the schema of rules.
"""
