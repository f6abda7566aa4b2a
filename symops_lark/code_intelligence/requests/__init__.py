"""From a request to a query frame: slots, quotes, words, routing hints."""
