"""Totals with tax."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from shop.tax import total_with_tax

assert total_with_tax(1000) == 1100
assert total_with_tax(1255) == 1380, "a part of a yen is dropped"
