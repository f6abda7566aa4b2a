"""Read and write the formats of other agents, each by a grammar file of `grammars/formats`."""
