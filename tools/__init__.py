"""Scripts of this repository that no user needs: the site of the documentation, and releases."""
