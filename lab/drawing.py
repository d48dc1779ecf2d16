# SPDX-License-Identifier: GPL-2.0
"""Small SVG pictures for a page: text as text, the page's own colour, no metadata.

The same numbers give the same bytes. Error bars reach from the least to the most of
all seeds.
"""
import io
import re
from typing import NamedTuple

import matplotlib
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

INK = "#010203"         # becomes the colour of the page's text
ROUNDED = re.compile(r"([0-9]+\.[0-9]{2})[0-9]+")  # points need no more digits
ZEROS = re.compile(r"(\.[0-9]*?)0+(?![0-9])")     # at a number's end
WIDTH, HEIGHT = 3.5, 2.8    # inches, of one panel
COLOURS = {"stock": "#8c8c8c", "ecmp": "#d55e00", "local": "#c99700", "conga": "#2b83ba",
           "conga-flow": "#159c74", "mptcp": "#9467bd", "wcmp": "#a6611a", "letflow": "#e377c2",
           "rps": "#7f3b08", "drb": "#b8860b", "presto": "#4d9221", "drill": "#542788",
           "plb": "#1b7837", "hula": "#c51b7d", "rehash": "#737373", "conga-prime": "#35978f",
           "tr": "#000000", "letflow-rate": "#fb8072"}
OTHERS = ("#2b83ba", "#159c74", "#9467bd", "#d55e00", "#c99700", "#8c8c8c")
MARKERS = {"stock": "x", "ecmp": "s", "local": "^", "conga": "o", "conga-flow": "D",
           "mptcp": "v", "wcmp": "p", "letflow": "*", "rps": "1", "drb": "2", "presto": "P",
           "drill": "X", "plb": "h", "hula": "<", "rehash": "3", "conga-prime": ">",
           "tr": "H", "letflow-rate": "d"}
STYLE = {"svg.fonttype": "none", "font.size": 8, "axes.edgecolor": INK, "text.color": INK,
         "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK, "path.simplify": True,
         "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
         "font.sans-serif": ["DejaVu Sans"], "lines.linewidth": 1.2, "lines.markersize": 3.5,
         "axes.titlesize": 8.5, "legend.fontsize": 7.5}
HEADROOM = 1.08         # of an axis, above what is largest
BELOW = -0.2            # of a picture's height: room for ticks and the axis's name
MOST_LEVEL = 6          # names of groups side by side
CAP = 2                 # points, of an error bar
PASSES = 2              # until legends have the room that they need


class Value(NamedTuple):
    """Over seeds."""
    mean: float
    least: float
    most: float


def value(numbers: list[float]) -> Value:
    return Value(sum(numbers) / len(numbers), min(numbers), max(numbers))


def errors(values: list[Value]) -> list:
    return [[max(0, one.mean - one.least) for one in values],
            [max(0, one.most - one.mean) for one in values]]


def colour(name: str, position: int) -> str:
    return COLOURS.get(name, OTHERS[position % len(OTHERS)])


def last(points: dict) -> float:
    return list(points.values())[-1].mean


def ordered(series: dict) -> dict:
    """Schemes, the largest at the right end first, as curves lie; others stay, since their colour
    is that of their place."""
    if not all(name in COLOURS for name in series):
        return series
    return dict(sorted(series.items(), key=lambda one: -last(one[1])))


def curves(axes, series: dict) -> None:
    """{name: {x: Value}}"""
    for position, (name, points) in enumerate(ordered(series).items()):
        values = list(points.values())
        axes.errorbar(list(points), [one.mean for one in values], errors(values), label=name,
                      color=colour(name, position), marker=MARKERS.get(name, "o"),
                      capsize=CAP, elinewidth=0.8)
    axes.set_ylim(0, HEADROOM * max(one.most for points in series.values()
                                    for one in points.values()) or 1)
    legend(axes)


def steep_curves(axes, series: dict) -> None:
    """Where the largest would flatten all others."""
    curves(axes, series)
    values = [one for points in series.values() for one in points.values()]
    axes.set_yscale("log")
    axes.set_ylim(min(one.least for one in values) / HEADROOM,
                  max(one.most for one in values) * HEADROOM)


def legend(axes, place: float = BELOW) -> None:
    """Below the picture, where it hides nothing."""
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, place), ncol=3)


def steps(axes, series: dict) -> None:
    """{name: sorted numbers}, as cumulative distributions."""
    for position, (name, numbers) in enumerate(series.items()):
        parts = [(i + 1) / len(numbers) for i in range(len(numbers))]
        axes.step(numbers, parts, where="post", label=name, color=colour(name, position))
    axes.set_ylim(0, 1.02)
    axes.set_xlim(0, HEADROOM * max(numbers[-1] for numbers in series.values()) or 1)
    legend(axes)


def bars(axes, series: dict) -> None:
    """{name: {group: Value}}: groups side by side, a bar for each name."""
    series = ordered(series)
    groups = list(dict.fromkeys(group for points in series.values() for group in points))
    width = 0.8 / len(series)
    for position, (name, points) in enumerate(series.items()):
        places = [groups.index(group) + (position - (len(series) - 1) / 2) * width
                  for group in points]
        values = list(points.values())
        axes.bar(places, [one.mean for one in values], width, yerr=errors(values), capsize=CAP,
                 label=name, color=colour(name, position), ecolor=INK,
                 error_kw={"elinewidth": 0.8})
    upright = len(groups) > MOST_LEVEL
    axes.set_xticks(range(len(groups)), groups, rotation=90 if upright else 0)
    if len(series) > 1:
        legend(axes, 2 * BELOW if upright else BELOW)


def lying_bars(axes, points: dict) -> None:
    """{name: Value}, from the top down."""
    values = list(points.values())
    axes.barh(range(len(points)), [one.mean for one in values], 0.7, xerr=errors(values),
              capsize=CAP, color=COLOURS["conga"], ecolor=INK, error_kw={"elinewidth": 0.8})
    axes.set_yticks(range(len(points)), list(points))
    axes.invert_yaxis()


def lying_ratios(axes, points: dict) -> None:
    lying_bars(axes, points)
    axes.axvline(1, color=INK, linewidth=0.6, linestyle=":")


def style():
    """Within it pictures are made."""
    return matplotlib.rc_context(STYLE)


def panels(count: int, height: float = HEIGHT, width: float = WIDTH):
    figure = Figure(figsize=(width * count, height), layout="constrained")
    return figure, [figure.add_subplot(1, count, i + 1) for i in range(count)]


def svg(figure: Figure, name: str) -> str:
    """To stand in a page, beside others: what they name is told apart by `name`."""
    text = ""
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": name}):
        figure.patch.set_visible(False)
        for axes in figure.axes:
            axes.patch.set_visible(False)
        for _ in range(PASSES):
            file = io.StringIO()
            FigureCanvasSVG(figure).print_svg(file)
            text = file.getvalue()
    return cleaned(text, name)


def document(picture: str) -> str:
    """The same as a file of its own, for light and dark pages."""
    return picture.replace(
        "<svg ", '<svg xmlns="http://www.w3.org/2000/svg" style="background: white" ', 1) + "\n"


def shortened(numbers: str) -> str:
    return ZEROS.sub(lambda match: match[1].rstrip("."), ROUNDED.sub(r"\1", numbers))


def cleaned(text: str, name: str) -> str:
    text = text[text.index("<svg"):].rstrip()
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r"<style.*?</style>", "", text, flags=re.S)
    text = re.sub(r"<defs>\s*</defs>", "", text)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r' xmlns(:xlink)?="[^"]*"', "", text)
    text = re.sub(r' id="[a-zA-Z0-9.]+_[0-9]+"', "", text)
    text = text.replace("xlink:href", "href").replace(INK, "currentColor")
    text = re.sub(r"\n\s*\n?\s*", "\n", text)
    text = re.sub(r' transform="rotate\(-0 [^"]*"', "", text)
    text = re.sub(r'="[^"]*"', lambda match: shortened(match[0]), text)
    return text.replace("<svg ", f'<svg role="img" aria-label="{name}" ', 1)
