"""``python -m labkit_widgets.server STUDY``."""

from __future__ import annotations

import sys

from labkit_widgets.server.launch import main

sys.exit(main())
