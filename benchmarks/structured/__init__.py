"""What is measured of JSON out of models: a part a module, `python -m benchmarks.structured PART`."""
