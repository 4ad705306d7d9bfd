"""What result files and the programs' answers say."""
