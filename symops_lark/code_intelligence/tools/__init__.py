"""The tools that look into code: a module a tool, each with `run(index, …)`, which returns what JSON can say."""
