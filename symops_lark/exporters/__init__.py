"""From a dialect to other runtimes, and what each of them would lose."""
