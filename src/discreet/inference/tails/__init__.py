"""The mathematics of upper tails: noncentral chi-squared laws and weighted sums of chi-squared variables."""
