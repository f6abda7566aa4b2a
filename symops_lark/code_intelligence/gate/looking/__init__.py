"""How a session looks: searches, opened files, and many searches in one call."""
