"""Programs that check a parser with the cases of a conformance suite; exports copy them."""
