"""Released histograms, series and distribution functions."""
