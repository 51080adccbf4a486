"""The accuracy of private samples and histograms, as functions."""
