"""Yes or no, and why: the strict parser, its nodes, and what it says where it refuses a text."""
