"""Vega for live cells, made at run time: the library as one module, and the chart it draws.

Both are made in a process of their own, once a kernel: importing altair and bundling take a few
seconds, and an answer in the same notebook must not wait for them. Nothing is asked from a
network, and nothing of it lies in a notebook.
"""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass

SNIPPET = "export { vegaEmbed };"


@dataclass(frozen=True, slots=True)
class Vega:
    """What a page needs to draw."""

    module: str
    """JavaScript that exports ``vegaEmbed``."""
    reliability: dict[str, object]
    """The Vega-Lite specification of the reliability diagram, without rows."""


def made() -> str:
    """Both as JSON text.

    Raises:
        ImportError: altair or vl-convert is not installed.
    """
    import vl_convert  # noqa: PLC0415  # seconds: only in the process made for it

    from labkit import charts  # noqa: PLC0415  # imports altair

    spec = charts.reliability(()).to_dict()
    return json.dumps({"module": vl_convert.javascript_bundle(SNIPPET), "reliability": spec})


_kept: list[Vega] = []


async def vega() -> Vega | None:
    """Vega and its chart; ``None`` where they cannot be had, and the page draws by itself."""
    if not _kept:
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "labkit_widgets.vega",
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        told, _ = await child.communicate()
        if child.returncode != 0:
            return None
        _kept.append(Vega(**json.loads(told)))
    return _kept[0]


if __name__ == "__main__":
    sys.stdout.write(made())
