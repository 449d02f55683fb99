"""Read a drawing out of a chart's HTML."""

import re
from xml.etree import ElementTree


def drawing(html: str, sheet: str = "wide", place: int = 0) -> ElementTree.Element:
    """Return a drawing as XML: the one for wide pages or for phones, of the chart at this place."""
    found = re.findall(rf'<svg [^>]*class="q-drawing is-{sheet}".*?</svg>', html, re.DOTALL)
    return ElementTree.fromstring(found[place])


def shown_texts(drawn: ElementTree.Element) -> list[str]:
    """Return all texts in the order in which they are drawn."""
    return [one.text or "" for one in drawn.iter() if one.tag.endswith("}text")]


def titles(drawn: ElementTree.Element) -> list[str]:
    """Return what a pointer shows on the marks."""
    return [one.text or "" for one in drawn.iter() if one.tag.endswith("}title")]


def numbers_of(drawn: ElementTree.Element, kind: str, attribute: str) -> list[tuple[float, ...]]:
    """Return the numbers in an attribute of all elements of a class."""
    return [
        tuple(float(number) for number in re.findall(r"-?[\d.]+", one.attrib[attribute]))
        for one in drawn.iter()
        if kind in one.attrib.get("class", "").split()
    ]
