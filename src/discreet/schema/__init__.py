"""What is public about the records: columns, categories, bounds, the row cap, and what a neighbour is."""

from discreet.schema.checks import unknown_name
from discreet.schema.columns import Bounded, Categorical
from discreet.schema.schema import Adjacency, Column, Schema

__all__ = ["Adjacency", "Bounded", "Categorical", "Column", "Schema", "unknown_name"]
