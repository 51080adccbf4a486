"""Statistical inference under differential privacy."""
