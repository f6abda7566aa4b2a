"""The tools that search code. Each is a module with `run(index, …)`, which returns JSON data."""
