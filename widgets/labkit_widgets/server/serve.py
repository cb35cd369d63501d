"""The server process: Voila with a configuration of our own, and nobody else's.

Runs in its own process group and ends, kernels included, when its standard input closes.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import threading

from traitlets.config import Config

from labkit_widgets.server.identity import HEADER, ReviewerTokens
from labkit_widgets.server.launch import TOKENS
from labkit_widgets.server.nodelay import NoDelay
from labkit_widgets.server.pool import ReviewServer

_CSP = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "connect-src 'self' ws: wss:; frame-ancestors 'self'; object-src 'none'; base-uri 'self'"
)
_EXTENSIONS = [
    "@jupyter-widgets/jupyterlab-manager",
    "@voila-dashboards/widgets-manager8",
    "anywidget",
]


def configuration(port: int) -> Config:
    """What Voila is told, and why."""
    config = Config()
    config.Application.log_level = logging.WARNING
    config.Voila.ip = "127.0.0.1"
    config.Voila.port = port
    config.Voila.port_retries = 0
    config.Voila.open_browser = False
    config.Voila.config_file_paths = []
    config.Voila.kernel_websocket_connection_class = NoDelay
    config.Voila.identity_provider_class = ReviewerTokens
    config.Voila.tornado_settings = {
        # nothing is fetched from elsewhere, nothing is sent elsewhere
        "headers": {"Content-Security-Policy": _CSP, "Referrer-Policy": "same-origin"},
        # a closing page says so without a token; refused, every page would leave a kernel behind
        "disable_check_xsrf": True,
    }
    voila = config.VoilaConfiguration
    voila.template = "labkit"
    voila.http_header_envs = [HEADER]
    voila.extension_allowlist = _EXTENSIONS
    voila.file_allowlist = [r"$^"]  # what is served as a file needs no login: serve none
    voila.allow_template_override = "NO"
    voila.allow_theme_override = "NO"
    voila.preheat_kernel = True
    voila.default_pool_size = 1
    # a kernel that died comes back without its page: leave it, the card says so and reloads
    config.KernelManager.autorestart = False
    # a browser that crashed says nothing
    config.MappingKernelManager.cull_idle_timeout = 900
    config.MappingKernelManager.cull_interval = 60
    config.MappingKernelManager.cull_connected = False
    return config


def _end_with_parent() -> None:
    """End the whole group when whoever started us is gone."""
    while os.read(0, 1024):  # unbuffered: a buffer's lock would be held at our own end
        pass
    os.killpg(os.getpgrp(), signal.SIGTERM)


def main(notebook: str, port: int) -> None:
    """Serve the notebook until told to stop."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    ReviewerTokens.tokens = json.loads(os.environ.pop(TOKENS, "{}"))
    app = ReviewServer.instance(config=configuration(port))
    app.log.addFilter(lambda record: "is not trusted" not in record.getMessage())
    # Jupyter's own two numbers, given in one unit and read in another: nothing for the reviewer
    pings = logging.getLogger("tornado.general")
    pings.addFilter(lambda record: "websocket_ping_timeout" not in record.getMessage())
    app.initialize([notebook])
    app.start()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
