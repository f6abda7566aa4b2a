"""An order takes its items out of the stock."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from shop.cart import Cart
from shop.customers import Customer
from shop.orders import place_order
from shop.stock import Stock

cart, stock = Cart(), Stock({"pot": 3})
cart.add("pot", 2)
assert "8,756 yen" in place_order(Customer("Ann", "ann@example.org"), cart, stock)
assert stock.counts == {"pot": 1}
