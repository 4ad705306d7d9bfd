"""Figures of benchmark result files."""

VERSION = "0.1.0"
