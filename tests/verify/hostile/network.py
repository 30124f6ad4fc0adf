"""Attacks that want to talk to somebody outside."""

from .attack import Escaped, attack, system_call


@attack("sandbox")
def connects_by_tcp(outside):
    import socket

    socket.create_connection(("127.0.0.1", outside.tcp), timeout=1)


@attack("sandbox")
def sends_a_udp_packet(outside):
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.sendto(b"out", ("127.0.0.1", outside.udp))


@attack("sandbox")
def connects_to_an_abstract_socket(outside):
    import socket

    with socket.socket(socket.AF_UNIX) as made:
        made.connect(f"\0{outside.abstract}")


@attack("sandbox")
def connects_to_a_socket_file(outside):
    import socket

    with socket.socket(socket.AF_UNIX) as made:
        made.connect(outside.stream)


@attack("sandbox", hangs=True)
def sends_a_datagram_from_one_end_of_a_pair(outside):
    # A pair needs no `socket` call, and one of datagrams can be pointed anywhere.
    import socket

    one, _other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.sendto(b"out", outside.datagram)


@attack("sandbox")
def asks_the_hypervisor(outside):
    import socket

    socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)


@attack("sandbox")
def opens_a_netlink_socket(outside):
    import socket

    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)


@attack("runtime_error")
def resolves_a_name(outside):
    import socket

    raise Escaped(socket.getaddrinfo("example.com", 80))


@attack("sandbox", machine="x86_64")
def makes_a_socket_by_the_other_table_of_calls(outside):
    # The x32 table: the same calls under other numbers.
    system_call(0x40000000 + 41, 1, 1, 0)


@attack("crash", machine="x86_64")
def makes_a_socket_by_32_bit_calls(outside):
    import ctypes
    import mmap

    # mov eax, 359; mov ebx, 1; mov ecx, 1; xor edx, edx; int 0x80; ret
    code = bytes.fromhex("b867010000 bb01000000 b901000000 31d2 cd80 c3".replace(" ", ""))
    private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    page = mmap.mmap(-1, 4096, flags=private, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(b"\x53" + code[:-1] + b"\x5b\xc3")  # rbx is the caller's
    raise Escaped(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))())
