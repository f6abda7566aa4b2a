"""How long large run logs of routing take, and what they need: `python -m benchmarks.routing scale`."""
