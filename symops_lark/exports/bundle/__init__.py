"""One file made of the modules that read replies: gathered, without what no entry needs, under names of their own."""
