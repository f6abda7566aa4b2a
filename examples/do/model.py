"""A model that plays its part: it reads a prompt, and writes the reply of one of three models.

    symops do … --provider command --command "python model.py good"

`good` is right, `wrong` returns 1 for an empty cart, `unseen` changes
another file, which no prompt has shown.
"""

import re
import sys

prompt = sys.stdin.read()
part = sys.argv[1] if len(sys.argv) > 1 else "good"
texts = dict(re.findall(r'<file path="([^"]+)">\n(.*?)</file>', prompt, re.DOTALL))
if "total_with_tax" in prompt.rpartition("# Task")[2]:
    path, old = "shop/tax.py", "math.ceil(total * RATE / 100)  # 端数は切り上げ"
    new = "total * RATE // 100  # 端数は切り捨て"
else:
    path, old = "shop/cart.py", 'raise CartError("the cart is empty")'
    new = "return 0"
if part == "wrong":
    new = "return 1"
if part == "unseen":
    path, texts = "shop/mail.py", {"shop/mail.py": "pass\n"}
if path not in texts:
    sys.exit(print("I see no file to change."))
text = texts[path].replace(old, new).replace("import math\n\n", "").rstrip()
print(f">> I change {path}.\n\n::edit @{path}\n<<<\n{text}\n>>>")
