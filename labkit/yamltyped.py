"""YAML as typed values: what a safe loader reads, under the limits of ``yamlfile``.

Contracts need numbers, booleans and nulls; overrides need the text as it stands, see ``yamlfile``.
Types follow YAML 1.1 as PyYAML resolves it: ``no`` is false, ``0.1`` a number, ``"0.1"`` text.
"""

from __future__ import annotations

from typing import Any

import yaml

from labkit import yamlfile
from labkit.errors import InputError

_RESOLVER: Any = yaml.SafeLoader("")
_TAGS = {f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float")}


def _scalar(node: yamlfile.Scalar, source: str) -> Any:
    if node.style != "plain":
        return node.text
    tag = _RESOLVER.resolve(yaml.ScalarNode, node.text, (True, False))
    if tag not in _TAGS:
        return node.text
    try:
        return _RESOLVER.construct_object(yaml.ScalarNode(tag, node.text), deep=True)
    except ValueError as error:
        fault = f"{node.text!r} is no number; quote it or correct it."
        raise InputError.at(source, node.place.line, fault) from error


def _value(node: yamlfile.Node, source: str) -> Any:
    if isinstance(node, yamlfile.Scalar):
        return _scalar(node, source)
    if isinstance(node, yamlfile.Sequence):
        return [_value(item, source) for item in node.items]
    return {key: _value(item, source) for key, item in node.merged.items()}


def parse(text: str, source: str = "<text>") -> Any:
    r"""The typed value of one YAML document; ``None`` where it is empty.

    Dates stay text. Keys are always text.

    Raises:
        InputError: Whatever ``yamlfile.parse`` refuses.

    >>> parse("a: 0.1\nb: '0.1'\nc: no\nd: [1, ~]\n")
    {'a': 0.1, 'b': '0.1', 'c': False, 'd': [1, None]}
    """
    found = yamlfile.parse(text, source)
    return None if found.root is None else _value(found.root, source)
