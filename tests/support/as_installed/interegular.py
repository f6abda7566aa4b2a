"""Stands in for interegular in the processes that tests start: it is no dependency of the package, and slows Lark down."""

raise ImportError("interegular is for the tests alone")
