"""Figures of benchmark result files."""
