"""Formats of other agents with one mark that is nearly right: how often its correction is right, by kind of slip."""
