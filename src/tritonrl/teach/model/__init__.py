"""A model behind an endpoint as the teacher: it is asked, the verifier decides what is kept."""
