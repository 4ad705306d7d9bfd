"""Turns a run into text: sentences, tables and formatted numbers."""
