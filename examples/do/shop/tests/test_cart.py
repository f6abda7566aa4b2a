"""What there is to pay."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from shop.cart import Cart

cart = Cart()
assert cart.checkout() == 0, "an empty cart costs nothing"
cart.add("tea", 2)
assert cart.checkout() == 960
assert cart.checkout("SPRING") == 864
