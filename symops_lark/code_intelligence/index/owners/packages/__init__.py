"""Where an import across packages leads, as the manifests in the index say: npm, Cargo and Go."""
