"""What the evidence gate decides, and how well the code is searched: `python -m benchmarks.code_intelligence NAME`."""
