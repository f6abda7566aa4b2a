"""`symops route`: specialist models, from their manifests to who answers. One file per command."""
