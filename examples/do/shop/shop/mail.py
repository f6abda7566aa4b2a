"""Mail to customers."""


def write_receipt(customer, total):
    """Return the text of a receipt."""
    return f"Dear {customer.name},\nyou have paid {total:,} yen.\n"
