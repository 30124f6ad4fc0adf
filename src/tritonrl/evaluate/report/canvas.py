"""Where charts are drawn: one figure becomes a PNG on white and an SVG whose colours are the page's.

Colours of the figure are those of the light page; each stands for a CSS variable, which the SVG uses instead.
"""

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from xml.etree import ElementTree

from tritonrl.evaluate.report.text import Markup, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, MUTED, GRID = "#1c2430", "#5a6472", "#dde1e7"
RUNS = ("#0072b2", "#d55e00", "#009e73", "#b65a94", "#b8860b", "#4a5fc1")
"""Of the runs, in order, then again from the first; told apart by those who see fewer colours."""
VARIABLES = {INK: "--ink", MUTED: "--muted", GRID: "--line"} | {
    each: f"--run-{number}" for number, each in enumerate(RUNS)
}
DPI = 160
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,  # names may hold dollars
    "font.size": 11.0,
    "text.color": INK,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": GRID,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "grid.color": GRID,
}


@dataclass(frozen=True)
class Chart:
    """A picture, and what it says."""

    name: str
    title: str
    caption: str
    words: str
    """What is to be seen, for those who do not see it."""
    svg: Markup
    png: bytes
    tall: bool
    """Whether it is to be scrolled in a box."""


@contextmanager
def drawing() -> Iterator[None]:
    """Our settings of matplotlib, and those of the user afterwards."""
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        # A name in a script that the font lacks is boxes in the PNG, and right in the page.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def axes(width: float, height: float, across: bool = False) -> "Axes":
    """Empty axes of this size in inches; values go up, or `across`."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    plot = figure.add_subplot()
    plot.spines[["top", "right", "left" if not across else "bottom"]].set_visible(False)
    plot.grid(axis="x" if across else "y", linewidth=0.8)
    plot.set_axisbelow(True)
    plot.tick_params(length=0, pad=6)
    return plot


def colour(number: int) -> str:
    """Of a run."""
    return RUNS[number % len(RUNS)]


def legend(plot: "Axes", place: Literal["upper right", "outside"]) -> None:
    """Inside, or above where `outside`, with room of its own."""
    if place != "outside":
        plot.legend(loc=place, frameon=False, fontsize=10)
        return
    figure = _figure(plot)
    num_lines = -(-len(plot.get_legend_handles_labels()[1]) // 2)
    figure.set_figheight(figure.get_figheight() + 0.2 * num_lines)
    figure.legend(loc="outside upper left", ncols=2, frameon=False, fontsize=10)


def _figure(plot: "Axes") -> "Figure":
    figure = plot.get_figure(root=True)
    assert figure is not None
    return figure


def finished(
    plot: "Axes", name: str, title: str, caption: str, said: Sequence[str], tall: bool = False
) -> Chart:
    """The chart on these axes."""
    import matplotlib

    png, svg = io.BytesIO(), io.BytesIO()
    matplotlib.rcParams["svg.hashsalt"] = name
    figure = _figure(plot)
    figure.savefig(png, format="png", dpi=DPI, facecolor="white", metadata={"Software": None})
    figure.savefig(svg, format="svg", transparent=True, metadata={"Date": None})
    words = plain(f"{title}. {caption} {'; '.join(said)}".strip())
    return Chart(name, title, caption, words, _inline(svg.getvalue(), name, words), png.getvalue(), tall)


def _inline(svg: bytes, name: str, words: str) -> Markup:
    """The drawing as an element of a page: its own ids, the page's colours, nothing that reaches outside."""
    root = ElementTree.fromstring(svg)
    for parent in list(root.iter()):
        for child in list(parent):
            if _local(child.tag) in ("metadata", "style"):  # the style would be the whole page's
                parent.remove(child)
    for element in root.iter():
        element.tag = _local(element.tag)
        attributes = {_local(key): value for key, value in element.attrib.items()}
        element.attrib.clear()
        element.attrib.update({key: _rewritten(key, value, name) for key, value in attributes.items()})
        element.tail = None if element.tag not in ("tspan", "text") else element.tail
    width, height = (float(each) for each in root.attrib["viewBox"].split()[2:])
    root.attrib.clear()
    root.attrib.update({"viewBox": f"0 0 {width:g} {height:g}", "role": "img", "aria-label": words})
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _rewritten(key: str, value: str, name: str) -> str:
    if key == "id":
        return f"{name}-{value}"
    if key == "href":
        return value.replace("#", f"#{name}-", 1)
    value = re.sub(r"url\(#", f"url(#{name}-", value)
    for hexed, variable in VARIABLES.items():
        value = value.replace(hexed, f"var({variable})")
    return value
