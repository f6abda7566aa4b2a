"""`symops bench`: how often models obey, and whether what they meant is recovered. One file per command."""

OLD_NAMES = {"sweep": "sensitivity"}  # still understood, and shown nowhere
