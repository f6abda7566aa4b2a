"""How well broken replies are recovered: documents, mistakes, scores and peers, all seeded."""
