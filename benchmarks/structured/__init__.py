"""What readers of JSON answers make of the same damaged replies: right, refused, or wrong and accepted."""
