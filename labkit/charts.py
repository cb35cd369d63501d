"""Charts of estimates, authored with altair; the only file that knows it.

Every number is computed before: a chart draws rows and bins nothing. ``render_svg`` needs no
network.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from labkit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from labkit.estimation.curves import CoveragePoint, ReliabilityBin, WidthPoint
    from labkit.estimation.estimates import Estimate

ROWS = "rows"
"""The name of the data source that a kept view takes new rows for."""
INK, SOFT, BAND = "#1f5f8b", "#9a9a9a", "#d9d9d9"
_SHARE = {"domain": [0, 1]}


def _altair() -> Any:
    try:
        import altair as alt  # noqa: PLC0415  # an optional package, imported here only
    except ImportError as error:
        raise InputError(
            "Charts need altair, which is not installed; pip install 'labkit[app]' brings it."
        ) from error
    return alt


def render_svg(chart: Any) -> str:
    """The chart as SVG text, drawn without a browser or a network.

    Raises:
        InputError: vl-convert is not installed.
    """
    try:
        import vl_convert  # noqa: PLC0415  # an optional package, imported here only
    except ImportError as error:
        raise InputError(
            "SVG needs vl-convert-python, which is not installed; pip install 'labkit[app]'."
        ) from error
    svg: str = vl_convert.vegalite_to_svg(chart.to_dict())
    return svg


def reliability(bins: Sequence[ReliabilityBin]) -> Any:
    """Reliability diagram: diagonal, exact consistency bars, Wilson intervals, histogram below.

    Its rows are the data source ``rows``: a page that keeps the drawn view replaces them by name
    and nothing is drawn anew.
    """
    alt = _altair()
    rows = alt.Data(values=[asdict(one) for one in bins], name=ROWS)
    x = alt.X("mean_confidence:Q", title="confidence", scale=alt.Scale(**_SHARE))
    line = alt.Chart(alt.Data(values=[{"at": 0}, {"at": 1}])).mark_line(
        color=SOFT, strokeDash=[4, 4]
    )
    diagonal = line.encode(x="at:Q", y="at:Q")
    tips = ["lower:Q", "upper:Q", "count:Q", "mean_confidence:Q", "accuracy:Q", "low:Q", "high:Q"]
    base = alt.Chart().transform_filter("datum.count > 0")
    consistent = base.mark_rect(color=SOFT, opacity=0.35).encode(
        x=alt.X("lower:Q", scale=alt.Scale(**_SHARE), title="confidence"),
        x2="upper:Q",
        y=alt.Y("consistent_low:Q", scale=alt.Scale(**_SHARE), title="share positive"),
        y2="consistent_high:Q",
    )
    rule = base.mark_rule(color=INK).encode(x=x, y="low:Q", y2="high:Q")
    point = base.mark_circle(color=INK, opacity=1).encode(
        x=x,
        y="accuracy:Q",
        size=alt.Size("count:Q", legend=None),
        tooltip=tips,
    )
    strip = (
        alt.Chart()
        .mark_bar(color=SOFT)
        .encode(
            x=alt.X("lower:Q", bin="binned", scale=alt.Scale(**_SHARE), title=None),
            x2="upper:Q",
            y=alt.Y("count:Q", title="labels"),
        )
        .properties(height=60, width=300)
    )
    above = alt.layer(consistent, diagonal, rule, point).properties(height=300, width=300)
    return alt.vconcat(above, strip, data=rows)


def risk_coverage(points: Sequence[CoveragePoint], *, threshold: float | None = None) -> Any:
    """Accuracy of kept answers against the share kept, with its band and a threshold to point at.

    Args:
        points: The curve.
        threshold: Where the rule stands before anybody points.
    """
    alt = _altair()
    data = alt.Data(values=[asdict(one) for one in points if one.accuracy is not None])
    first = [] if threshold is None else [{"threshold": threshold}]
    pointed = alt.selection_point(
        name="threshold", fields=["threshold"], nearest=True, on="pointermove", value=first
    )
    x = alt.X("coverage:Q", title="share of answers kept", scale=alt.Scale(**_SHARE))
    base = alt.Chart(data)
    band = base.mark_area(color=INK, opacity=0.2).encode(
        x=x, y=alt.Y("low:Q", title="accuracy", scale=alt.Scale(zero=False)), y2="high:Q"
    )
    line = base.mark_line(color=INK).encode(x=x, y="accuracy:Q")
    tips = ["threshold:Q", "coverage:Q", "accuracy:Q", "low:Q", "high:Q", "labelled:Q"]
    shown = alt.condition(pointed, alt.value(1), alt.value(0), empty=False)
    dot = base.mark_circle(color=INK, size=70).encode(
        x=x, y="accuracy:Q", opacity=shown, tooltip=tips
    )
    rule = base.mark_rule(color=SOFT).encode(x=x, opacity=shown)
    return alt.layer(band, line, rule, dot.add_params(pointed)).properties(width=420, height=260)


def forest(rows: Iterable[Estimate]) -> Any:
    """Metric, estimate and interval; undefined ones in grey over their whole range."""
    alt = _altair()
    values = [
        {**row.as_dict(), "defined": row.value is not None, "order": k}
        for k, row in enumerate(rows)
        if row.low is not None and row.high is not None and row.high <= 1
    ]
    base = alt.Chart(alt.Data(values=values))
    y = alt.Y("name:N", sort=alt.SortField("order"), title=None)
    colour = alt.condition("datum.defined", alt.value(INK), alt.value(BAND))
    tips = ["name:N", "value:Q", "low:Q", "high:Q", "n:Q", "basis:N", "method:N", "reason:N"]
    rule = base.mark_rule(size=2).encode(
        y=y,
        x=alt.X("low:Q", scale=alt.Scale(**_SHARE), title=None),
        x2="high:Q",
        color=colour,
        tooltip=tips,
    )
    point = base.mark_circle(size=70, opacity=1, color=INK).encode(y=y, x="value:Q", tooltip=tips)
    text = base.mark_text(align="left", dx=8, dy=-9, color=INK).encode(
        y=y, x="value:Q", text=alt.Text("value:Q", format=".2f")
    )
    return alt.layer(rule, point, text).properties(width=420, height=alt.Step(34))


def tags(rows: Iterable[Estimate]) -> Any:
    """F1 of each tag with its interval, the tags with most labels first."""
    chosen = [row for row in rows if row.name.startswith("tag.") and row.name.endswith(".f1")]
    return forest(sorted(chosen, key=lambda row: (-row.n, row.name)))


def widths(points: Sequence[WidthPoint], *, goal: float | None = None) -> Any:
    """Half-width of the interval against labels, with the goal as a line."""
    alt = _altair()
    base = alt.Chart(alt.Data(values=[asdict(one) for one in points]))
    curve = base.mark_line(color=INK, point=True).encode(
        x=alt.X("labels:Q", title="labels"),
        y=alt.Y("half_width:Q", title="± half-width"),
        tooltip=["labels:Q", alt.Tooltip("half_width:Q", format=".3f")],
    )
    if goal is None:
        return curve.properties(width=420, height=220)
    line = (
        alt.Chart(alt.Data(values=[{"goal": goal}]))
        .mark_rule(color=SOFT, strokeDash=[4, 4])
        .encode(y="goal:Q")
    )
    return alt.layer(curve, line).properties(width=420, height=220)
