"""Plan the changes of a document: their order, conflicts, and what the policy allows."""
