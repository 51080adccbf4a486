"""How a null distribution is computed: closed form, averaged over the noise, by reference points, or by the bootstrap."""
