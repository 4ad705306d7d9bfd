"""Makes the section of a map of a host."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from plots.figures import MAP_FIGURES
from plots.model.host_map import HostMap
from plots.model.judged import Sentence
from plots.model.load import Result
from plots.model.same_machine import of_another_machine
from plots.page.section import Drawer, Section, flatten
from plots.text import map_caption, map_table


def make_map_section(
    drawer: Drawer, host_map: HostMap, number: int | None, results: Sequence[Result] = ()
) -> Section:
    """Makes the section of a map of a host, which is numbered if there are several."""
    doubts = ("poor_prediction", "no_link_explains", "not_measured")
    file = map_caption.file_name(host_map)
    another = map_caption.another_machine(host_map, of_another_machine(host_map, results))
    section = Section(
        name="map-" if number is None else f"map-{number}-",
        heading=f"Links of the host ({file}): {map_caption.devices(host_map)}",
        on_host=host_map.on_host,
        sentences={
            "What the map says": [
                Sentence(map_caption.machine(host_map)),
                *([Sentence(another, True)] if another else []),
                *(Sentence(text, code in doubts) for code, text in host_map.findings),
            ]
        },
        tables=[map_table.make_links_table(host_map)],
        method=[
            ("file", file),
            ("sha256 of its content", hashlib.sha256(host_map.data).hexdigest()),
        ],
    )
    flatten("", host_map.context, section.method)
    drawer.add_figures(section, MAP_FIGURES, host_map)
    return section
