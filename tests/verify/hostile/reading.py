"""Attacks that want to read what is outside: a secret file, the judge's memory, the names of things."""

from .attack import Escaped, attack, system_call


@attack("sandbox")
def reads_the_secret(outside):
    with open(outside.secret) as file:
        raise Escaped(file.read())


@attack("sandbox", at="import")
def reads_the_secret_at_import(outside):
    with open(outside.secret) as file:
        raise Escaped(file.read())


@attack("sandbox")
def reads_through_a_link_in_scratch(outside):
    import os

    os.symlink(outside.secret, "innocent.txt")
    with open("innocent.txt") as file:
        raise Escaped(file.read())


@attack("runtime_error", "sandbox")
def makes_a_second_name_of_the_secret(outside):
    import os

    os.link(outside.secret, "innocent.txt")
    with open("innocent.txt") as file:
        raise Escaped(file.read())


@attack("sandbox")
def reads_through_its_own_root(outside):
    with open(f"/proc/self/root{outside.secret}") as file:
        raise Escaped(file.read())


@attack("sandbox")
def reads_upwards_from_its_folder(outside):
    with open("/proc/self/cwd" + "/.." * 8 + outside.secret) as file:
        raise Escaped(file.read())


@attack("sandbox")
def reads_beneath_a_folder_held_open(outside):
    import os

    root = os.open("/", os.O_PATH)
    with open(os.open(outside.secret.lstrip("/"), os.O_RDONLY, dir_fd=root)) as file:
        raise Escaped(file.read())


@attack("sandbox")
def reads_by_openat2(outside):
    import ctypes
    import os
    import struct

    how = ctypes.create_string_buffer(struct.pack("QQQ", os.O_RDONLY, 0, 0), 24)
    with open(system_call(437, -100, outside.secret.encode(), how, 24)) as file:
        raise Escaped(file.read())


@attack("sandbox")
def reopens_what_it_may_only_name(outside):
    import os

    place = os.open(outside.secret, os.O_PATH)
    with open(f"/proc/self/fd/{place}") as file:
        raise Escaped(file.read())


@attack("sandbox")
def reads_the_environment_of_the_judge(outside):
    with open(f"/proc/{outside.judge}/environ") as file:
        raise Escaped(file.read())


@attack("sandbox")
def reads_the_memory_of_the_judge(outside):
    with open(f"/proc/{outside.judge}/maps") as maps, open(f"/proc/{outside.judge}/mem", "rb") as memory:
        memory.seek(int(maps.readline().partition("-")[0], 16))
        raise Escaped(memory.read(64))


@attack("sandbox")
def reads_the_memory_of_a_zygote(outside):
    with open(f"/proc/{outside.zygotes[0]}/mem", "rb") as file:
        raise Escaped(file)


@attack("sandbox")
def reads_through_the_root_of_the_judge(outside):
    with open(f"/proc/{outside.judge}/root{outside.secret}") as file:
        raise Escaped(file.read())


@attack("sandbox")
def reads_through_the_root_of_init(outside):
    with open(f"/proc/1/root{outside.secret}") as file:
        raise Escaped(file.read())


@attack("sandbox")
def reads_a_descriptor_of_the_judge(outside):
    with open(f"/proc/{outside.judge}/fd/0") as file:
        raise Escaped(file.read(1))


@attack("sandbox")
def reads_the_users_and_groups(outside):
    with open("/etc/passwd") as file:
        raise Escaped(file.read())


@attack("sandbox")
def lists_the_root(outside):
    import os

    raise Escaped(os.listdir("/"))


@attack("sandbox")
def lists_the_scratch_of_the_others(outside):
    import os

    raise Escaped(os.listdir(os.path.dirname(os.getcwd())))


@attack("sandbox")
def lists_the_processes(outside):
    import os

    raise Escaped(os.listdir("/proc"))


@attack("sandbox")
def opens_the_kernel_log(outside):
    with open("/dev/kmsg") as file:
        raise Escaped(file)
