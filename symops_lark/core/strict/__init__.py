"""Parse valid text strictly, and explain where invalid text is wrong."""
