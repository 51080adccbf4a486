"""How each kind of release and result is shown: title, numbers, noise, plain data."""
