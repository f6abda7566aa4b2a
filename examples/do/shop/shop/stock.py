"""How many of each article there are."""


class Stock:
    """Counts of articles, by name."""

    def __init__(self, counts):
        self.counts = dict(counts)

    def take(self, name, count):
        """Take some of an article out of the stock."""
        if self.counts.get(name, 0) < count:
            raise LookupError(f"only {self.counts.get(name, 0)} of {name} are left")
        self.counts[name] -= count
