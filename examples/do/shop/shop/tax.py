"""消費税。"""

import math

RATE = 10  # percent


def total_with_tax(total):
    """Return a total with tax, in yen."""
    tax = math.ceil(total * RATE / 100)  # 端数は切り上げ
    return total + tax
