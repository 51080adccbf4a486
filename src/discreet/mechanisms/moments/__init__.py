"""Means and covariances: what is drawn for them, what it promises, what it costs."""
