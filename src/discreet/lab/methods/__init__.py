"""What a study compares: ways from simulated tables to p-values."""
