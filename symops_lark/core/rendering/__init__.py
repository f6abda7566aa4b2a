"""From a document to text, in any dialect that can say it."""
