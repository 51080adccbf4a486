"""One file a mechanism: draws its sample from exact counts, with no randomness but the gate's choices.

Every sampler is a function of the mechanism, the records' exact counts and `choose`, which is `gate.choose`. Its output has
exactly the law that the mechanism states; a test walks through all its choices and adds up their probabilities.
"""
