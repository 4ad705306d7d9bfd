"""Composes charts: layers, and panels beside or below each other.

altair's own compositions copy everything in them again at each level, so as to move parameters to
the top. That took a third of a report's time. Vega-Lite accepts parameters where they are.
"""

from __future__ import annotations

from typing import Any, Literal, Self

import altair as alt

Resolution = Literal["shared", "independent"]


class _Composed(alt.SchemaBase):
    """Holds charts. Only the whole figure is checked, not each part of it again."""

    _class_is_valid_at_instantiation = False

    def resolve_scale(self, **channels: Resolution) -> Self:
        """Returns the same charts with scales that are shared or independent."""
        return self._resolved(scale=alt.ScaleResolveMap(**channels))

    def resolve_legend(self, **channels: Resolution) -> Self:
        """Returns the same charts with legends that are shared or independent."""
        return self._resolved(legend=alt.LegendResolveMap(**channels))

    def _resolved(self, **maps: Any) -> Self:
        resolved = self.copy(deep=False)
        resolved.resolve = alt.Resolve(**maps)
        return resolved


class LayerChart(_Composed, alt.LayerSpec):
    """Holds layers within a panel."""


class HConcatChart(_Composed, alt.HConcatSpecGenericSpec):
    """Holds panels beside each other."""


class VConcatChart(_Composed, alt.VConcatSpecGenericSpec):
    """Holds panels below each other."""


class TopChart(_Composed, alt.TopLevelVConcatSpec):
    """Holds a whole figure: rows of panels, its title, its looks and its data."""

    def specification(self, validate: bool) -> dict[str, Any]:
        """Returns the Vega-Lite specification without its data."""
        bare = self.copy(deep=False)
        bare.datasets = alt.Undefined
        # altair takes each part for a whole figure unless it is told that it is none.
        spec = bare.to_dict(validate=validate, context={"top_level": False})
        return {"$schema": alt.SCHEMA_URL, **spec}


def hconcat(*panels: Any, **options: Any) -> HConcatChart:
    """Puts panels beside each other."""
    return HConcatChart(hconcat=list(panels), **options)


def vconcat(*panels: Any, **options: Any) -> VConcatChart:
    """Puts panels below each other."""
    return VConcatChart(vconcat=list(panels), **options)


def at_pixel(x: float) -> alt.XValue:
    """Places marks at a distance from the left of their panel."""
    return alt.XValue(x)  # type: ignore[no-untyped-call]
