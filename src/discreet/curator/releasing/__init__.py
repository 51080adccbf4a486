"""One file a family: executes a specification on the records, through the gate."""
