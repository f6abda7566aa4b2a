"""The prices of the shop, without tax."""

PRICES = {"tea": 480, "cup": 1250, "pot": 3980}


def price_of(name):
    """Return the price of an article, in yen."""
    return PRICES[name]
