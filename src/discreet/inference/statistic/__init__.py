"""Which statistic: how each is formed from a noisy table and its fitted null, and what is known of its null law."""
