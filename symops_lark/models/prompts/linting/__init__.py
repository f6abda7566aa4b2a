"""What is stale or wrong in prompts of others: the examples in them are found and parsed."""
