"""One reviewer's pass over a queue: what may be stored, and what follows from what was stored."""

from labkit.protocol.passes import Pass
from labkit.protocol.standing import Standing
from labkit.protocol.words import ACTS, PROTOCOLS, REVEALS, BlindAccept, Phase, UnknownItem

__all__ = [
    "ACTS",
    "PROTOCOLS",
    "REVEALS",
    "BlindAccept",
    "Pass",
    "Phase",
    "Standing",
    "UnknownItem",
]
