"""Stands in for interegular in processes that tests start: the package does not need it, and it slows Lark down."""

raise ImportError("interegular is for the tests alone")
