"""Hostile candidates: what they try, what lies outside for them to reach, and what the judge must say."""
