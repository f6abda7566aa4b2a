"""Hooks of coding agents: each call of a tool that writes is asked about at the gate first."""
