"""Error correction of any grammar, compared with Lark's `on_error` and with CPCT+."""
