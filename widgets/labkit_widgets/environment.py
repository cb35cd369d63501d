"""The names under which the app is told, through the environment, what to open and for whom."""

from __future__ import annotations

import os

from labkit import whoami

STUDY = "LABKIT_STUDY"
REVIEWER = "LABKIT_REVIEWER"
TAB = "LABKIT_TAB"
"""The tab on which the page opens."""
SIGNED_IN = "HTTP_X_LABKIT_REVIEWER"
"""Set by our server from the token; a header of that name that a client sends is overwritten."""


def reviewer_name() -> str:
    """Who is reviewing: ``$LABKIT_REVIEWER``, else whom the server knows, else the login name."""
    named = os.environ.get(REVIEWER, "").strip()
    return named or _signed_in() or whoami.reviewer_name()


def _signed_in() -> str:
    """The name that belongs to the token with which the page was opened.

    A kernel that was started ahead of its page waits for it here: before, nobody is signed in.
    """
    if os.environ.get("VOILA_PREHEAT") == "True":
        from voila.utils import wait_for_request  # noqa: PLC0415  # slow, and only for several

        wait_for_request()
    return os.environ.get(SIGNED_IN, "").strip()
