"""Read and change files below one folder, without ever following a link."""
