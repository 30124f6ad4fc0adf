"""Test-time search: from what a policy proposes to what is worth having."""
