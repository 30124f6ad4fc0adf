"""`python -m tritonrl.cli`, where the script is not on the path."""

from tritonrl.cli import main

main()
