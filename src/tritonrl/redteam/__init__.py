"""The red team: kernels that cheat, each in one way, and honest ones that look alike; the verifier is held to
both, and so is a language model that judges (`redteam.opinions`).

A case is a file under `cases/<family>/`, where a family is an id of the catalogue of cheats, `wrong`
(mistakes that nobody meant) or `honest`. Adding a case is adding a file; see `redteam.corpus`.
"""
