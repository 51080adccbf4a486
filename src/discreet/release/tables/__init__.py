"""Released tables of counts."""
