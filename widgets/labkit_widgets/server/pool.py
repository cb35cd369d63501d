"""Kernels that wait for a page: one that died meanwhile is never handed out."""

from __future__ import annotations

from typing import Any

from voila.app import Voila


class ReviewServer(Voila):  # type: ignore[misc]  # Voila has no types
    """Voila, with a look at its waiting kernels before it counts them."""

    def init_settings(self) -> dict[str, Any]:
        """Prepare the server as always, then watch the pool."""
        settings: dict[str, Any] = super().init_settings()
        manager = self.kernel_manager
        size = manager.get_pool_size

        def living(notebook_name: str) -> int:
            if _bury(manager, notebook_name):
                manager.fill_if_needed(notebook_name=notebook_name)
            return int(size(notebook_name))

        manager.get_pool_size = living
        return settings


def _bury(manager: Any, notebook_name: str) -> bool:
    """Take dead kernels out of the pool; whether there were any."""
    pool = manager._pools.get(notebook_name, [])  # noqa: SLF001  # it has no public face
    dead = [task for task in pool if task.done() and not _lives(manager, task)]
    for task in dead:
        pool.remove(task)
    return bool(dead)


def _lives(manager: Any, task: Any) -> bool:
    if task.cancelled() or task.exception() is not None:
        return False
    kernel = manager.get_kernel(task.result()["kernel_id"])
    process = getattr(kernel.provisioner, "process", None)
    return process is not None and process.poll() is None
