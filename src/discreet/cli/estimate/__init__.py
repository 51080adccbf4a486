"""`discreet estimate`: one file a command."""
