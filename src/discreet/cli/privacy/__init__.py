"""`discreet privacy`: guarantees, compositions, curves."""
