"""A program in fragments: what they could save, who solves them, which set is best, how they become one."""
