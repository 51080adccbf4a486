"""`discreet lab`: one file a command."""
