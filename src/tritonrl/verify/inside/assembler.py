"""The assembler: writes PTX into its scratch folder and becomes `ptxas`. Its exit code, its words
and the memory that the judge has given it for the cubin are the answer."""

import os

from tritonrl.verify.channel import Channel


def serve_assembler(channel: Channel) -> None:
    """Take one message, and turn into the program that it names."""
    message = channel.receive()
    with open("kernel.ptx", "w", encoding="utf-8") as file:
        file.write(message["ptx"])
    (cubin,) = channel.take_descriptors()
    os.set_inheritable(cubin, True)
    # The channel stays open in the program: it closes when that ends, and not before.
    output = f"/proc/self/fd/{cubin}"
    os.execv(message["ptxas"], [message["ptxas"], *message["flags"], "kernel.ptx", "-o", output])
