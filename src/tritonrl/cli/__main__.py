"""`python -m tritonrl.cli`, where the script is not on the path."""

from tritonrl.cli.entry import main

main()
