"""The compile layer's work: every kernel specialisation that was launched becomes a cubin, or the reason why
not."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tritonrl.verify.kernels import NotInFile, Specialisation, cut_out, short_name
from tritonrl.verify.log import Kernel
from tritonrl.verify.process import Death, Process
from tritonrl.verify.roles import COMPILER, assembler
from tritonrl.verify.settings import TARGETS, Settings
from tritonrl.verify.specialisation import file_of
from tritonrl.verify.verdict import Finding
from tritonrl.verify.zygotes import Zygotes

LAYER = "compile"


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class _Complaint(_Record):
    """What `inside.serving.describe` tells of an error."""

    type: str
    message: str
    line: int | None
    denied: bool
    gpu_only: bool
    trace: str


class _Answer(_Record):
    """What the role says that compiles: nothing, a complaint, or what it made."""

    complaint: _Complaint | None = None
    error: _Complaint | None = None


class _Made(_Record):
    name: str
    ptx: str
    shared_bytes: Annotated[int, Field(ge=0)]
    dots: list[Annotated[list[str], Field(min_length=2, max_length=2)]]
    metadata: dict[str, Any]
    signature: dict[str, str]


LARGEST_CUBIN = 16 * 2**20


@dataclass(frozen=True)
class Cubin:
    """A specialisation as a GPU takes it."""

    specialisation: Specialisation
    metadata: dict[str, Any]
    signature: dict[str, str]
    code: bytes


def compile_launches(
    zygotes: Zygotes,
    code: str,
    kernels: Mapping[str, Kernel],
    launches: Sequence[Specialisation],
    settings: Settings,
    cubins: list[Cubin] | None = None,
) -> Iterator[Finding]:
    """What is wrong with these launches; nothing if all compile. Stops at the first kernel that does not.
    What was made is added to `cubins`."""
    cubins = cubins if cubins is not None else []
    with zygotes.start(COMPILER) as process:
        files: dict[str, list[Specialisation]] = {}
        for launch in launches:
            files.setdefault(file_of(launch.model_dump()), []).append(launch)
        for number, own in enumerate(files.values()):
            name = own[0].kernel
            try:
                text = cut_out(code, kernels, own[0])
            except NotInFile as error:
                message = (
                    f"kernel {short_name(name)!r} cannot be taken out of the file to be compiled: {error}"
                )
                yield Finding(layer=LAYER, rule="compile", message=message)
                return
            load = {"do": "load", "text": text, "name": f"kernels_{number}", "arch": settings.arch}
            loaded = _ask(process, load, settings)
            results = [loaded] if loaded else [_compile(process, launch, settings) for launch in own]
            distinct = {_text(result): result for result in results}
            assembled = {
                text: _Assembled(zygotes, name, result, settings) for text, result in distinct.items()
            }
            findings = [each.findings for each in assembled.values()]
            if any(not each for each in findings) and all(launch.tuned for launch in own):
                findings = [[_as_note(finding) for finding in each] for each in findings]
            yield from dict.fromkeys(finding for each in findings for finding in each)
            if any(finding.severity == "reject" for each in findings for finding in each):
                return
            for launch, result in zip(own, results, strict=True):
                if made := assembled[_text(result)].cubin:
                    cubins.append(Cubin(launch, result["metadata"], result["signature"], made))


def _compile(process: Process, launch: Specialisation, settings: Settings) -> dict[str, Any]:
    message = {"do": "compile", "kernel": short_name(launch.kernel)}
    message |= {"arguments": launch.arguments, "options": launch.options}
    return _ask(process, message, settings)


def _ask(process: Process, message: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Its answer, if it is one: who finds a way to Python there still says nothing but this."""
    answer = process.ask(message, seconds=settings.compile_seconds)
    is_made = message["do"] == "compile" and not answer.keys() & {"complaint", "error"}
    try:
        (_Made if is_made else _Answer).model_validate(answer)
    except ValidationError as error:
        process.end()
        raise Death("protocol", "reported a compilation that is none") from error
    return answer


def _text(result: dict[str, Any]) -> str:
    """Equal for specialisations that come to the same code: those need one assembly."""
    return str(result.get("ptx", result))


def _as_note(finding: Finding) -> Finding:
    """A configuration that does not fit the GPU is passed over by the autotuner, as long as another does."""
    return finding.model_copy(update={"severity": "note"}) if finding.rule == "resources" else finding


class _Assembled:
    """What became of one compilation: a cubin, or findings."""

    def __init__(self, zygotes: Zygotes, name: str, result: dict[str, Any], settings: Settings) -> None:
        self.cubin = b""
        self.findings = list(self._judge(zygotes, short_name(name), result, settings))

    def _judge(
        self, zygotes: Zygotes, kernel: str, result: dict[str, Any], settings: Settings
    ) -> Iterator[Finding]:
        complaint = result.get("complaint") or result.get("error")
        if complaint:
            message = (
                f"kernel {kernel!r} does not compile for {settings.target}: {complaint['type']}: "
                f"{_last_words(complaint['message'])}; "
                "a kernel must compile, whatever the interpreter makes of it"
            )
            yield Finding(layer=LAYER, rule="compile", message=message, line=complaint["line"])
            return
        needs, most = result["shared_bytes"], TARGETS[settings.target]
        if needs > most:
            message = (
                f"kernel {kernel!r} needs {needs:,} bytes of shared memory; {settings.target} has {most:,}"
            )
            yield Finding(layer=LAYER, rule="resources", message=message)
            return
        for element, precision in result["dots"]:
            if settings.precision == "ieee" and element == "f32" and precision != "ieee":
                message = (
                    f"kernel {kernel!r} multiplies float32 matrices at {precision} precision; under "
                    '--precision ieee a tl.dot of float32 must say input_precision="ieee" '
                    "(the interpreter computes every dot exactly, the compiled code shows the difference)"
                )
                yield Finding(layer=LAYER, rule="E8", message=message)
        complaint, self.cubin = _assemble(zygotes, result["ptx"], settings)
        if complaint:
            message = f"kernel {kernel!r} does not assemble: {complaint}"
            yield Finding(layer=LAYER, rule="compile", message=message)


def _assemble(zygotes: Zygotes, ptx: str, settings: Settings) -> tuple[str | None, bytes]:
    """PTX to a cubin, in a process that becomes the assembler; or its complaint."""
    path, name = zygotes.targets[str(settings.arch)]
    process = zygotes.start(assembler(path))
    message = {"ptx": ptx, "ptxas": path, "flags": [f"--gpu-name={name}"]}
    room = os.memfd_create("cubin", os.MFD_CLOEXEC)
    try:
        process.ask(message, [room], seconds=settings.compile_seconds)
    except Death as death:
        # It answers by how it ends: nothing else is left of it to answer.
        if (process.ended or {}).get("exit") == 0:
            with open(os.dup(room), "rb") as file:
                file.seek(0)
                return None, file.read(LARGEST_CUBIN)
        return f"{death.detail}; {death.output.strip()[-400:]}", b""
    finally:
        os.close(room)
    return "the assembler talks instead of assembling", b""


def _last_words(message: str) -> str:
    """The compiler's point: its last line, which names the reason; what comes before is the source."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "no reason given"
