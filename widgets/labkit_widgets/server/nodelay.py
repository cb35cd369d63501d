"""A kernel connection that sends at once.

Small packets wait for the acknowledgement of the one before (Nagle's algorithm), which costs
about 40 milliseconds an answer; the server does not switch that off by itself.
"""

from __future__ import annotations

from typing import Any

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


class NoDelay(ZMQChannelsWebsocketConnection):
    """The server's own connection, with TCP_NODELAY."""

    def connect(self) -> Any:
        """Connect the browser with its kernel."""
        self.websocket_handler.set_nodelay(True)
        return super().connect()
