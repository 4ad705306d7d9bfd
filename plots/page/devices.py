"""Makes the section of all devices of a run together."""

from __future__ import annotations

from plots.figures import DEVICES_FIGURES
from plots.model.by_device import why_no_run
from plots.model.derive import Run
from plots.model.judged import Sentence
from plots.page.section import Drawer, Section
from plots.text import caption, concurrent_table


def make_devices_section(
    drawer: Drawer, numbered: tuple[int, Run], files: list[tuple[int, Run]], shown: list[Run]
) -> Section:
    """Makes the section of all devices of a run together; it is empty if there is one.

    `shown` are the runs of single devices, of any file, that have sections.
    """
    number, run = numbered
    file = caption.file_name(run.result)
    section = Section(
        name="devices-" if len(files) == 1 else f"devices-{number}-",
        heading=f"All devices of {file} together: {caption.all_devices(run)}",
        on_host=run.on_host,
    )
    if len(caption.device_ids(run)) > 1:
        table = concurrent_table.make_concurrent_table(run)
        section.tables = [table] if table.rows else []
        sentences = _name_devices_without_section(run, shown)
        section.sentences = {"Devices without a section": sentences} if sentences else {}
        drawer.add_figures(section, DEVICES_FIGURES, run)
    return section


def _name_devices_without_section(run: Run, shown: list[Run]) -> list[Sentence]:
    """Says which devices of a file have no section, and why."""
    of_file = [part for part in shown if part.result.data == run.result.data]
    with_section = {caption.device_ids(part)[0] for part in of_file}
    no_room = f"there is room for {caption.count(len(shown), 'such section')} in this report"
    by_reason: dict[str, list[str]] = {}
    for i, name in enumerate(caption.device_ids(run)):
        if name not in with_section:
            by_reason.setdefault(why_no_run(run.result, i) or no_room, []).append(name)
    return [
        Sentence(
            f"{caption.listed(names)} {'have' if len(names) > 1 else 'has'} no section: {reason}.",
            True,
        )
        for reason, names in by_reason.items()
    ]
