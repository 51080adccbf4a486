"""Released samples and selections: no noise was added, the outcome was chosen as a whole."""
