"""Exponential mechanisms: outcomes that are chosen by exact integer weights."""
