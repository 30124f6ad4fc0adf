"""The assembler: writes PTX into its scratch folder and becomes `ptxas`. Its exit code and output are the
answer."""

import os

from tritonrl.verify.channel import Channel


def serve_assembler(channel: Channel) -> None:
    """Take one message, and turn into the program that it names."""
    message = channel.receive()
    with open("kernel.ptx", "w", encoding="utf-8") as file:
        file.write(message["ptx"])
    # The channel stays open in the program: it closes when that ends, and not before.
    os.execv(message["ptxas"], [message["ptxas"], *message["flags"], "kernel.ptx", "-o", "kernel.cubin"])
