"""Released means and covariances."""
