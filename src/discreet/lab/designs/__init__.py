"""What a study draws: true tables of a design, and the noise that protects them."""
