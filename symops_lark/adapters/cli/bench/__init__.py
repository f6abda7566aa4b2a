"""Commands that measure how often models follow a format; one module for each command."""

# Former names of commands: still understood, but not listed.
OLD_NAMES = {
    "sweep": "sensitivity"  # the field says sensitivity analysis
}
