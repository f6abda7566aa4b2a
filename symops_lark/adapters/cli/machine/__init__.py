"""Commands about this machine: is everything there (`doctor`), and completion for its shell."""
