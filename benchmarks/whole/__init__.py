"""One model alone, three in a contest, with and without exploration, on requests about the example shop."""
