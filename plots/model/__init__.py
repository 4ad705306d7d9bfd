"""Reads result files and the programs' answers."""
