"""Series and distribution functions: integer sums whose exact sensitivity is computed."""
