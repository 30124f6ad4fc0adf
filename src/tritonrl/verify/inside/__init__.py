"""What runs inside the sandbox: one module a role, each a loop that answers the judge's messages.

Nothing here decides anything. A candidate shares its process with the loop that serves it and may change
every line of it: the judge believes only numbers that it checks itself.
"""
