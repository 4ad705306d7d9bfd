"""What is said of it: sentences, tables, numbers as text."""
