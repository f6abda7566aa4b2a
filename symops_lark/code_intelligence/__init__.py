"""Look before you write: what stands in a folder of code, and who may change it."""
