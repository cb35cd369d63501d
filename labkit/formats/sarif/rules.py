"""Which rule a result breaks, how grave that is, and what the message says."""

from __future__ import annotations

import re
from typing import Any, cast

from labkit.formats.sarif.finding import LEVELS, Level
from labkit.formats.sarif.shape import at, record, rows, text, whole

_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(\d{1,4})\}")


def filled(template: str, arguments: list[Any]) -> str:
    """A message with its placeholders replaced (SARIF 2.1.0, 3.11.5).

    A placeholder without an argument stays in sight.

    >>> filled("{{x}} {0} of {1}", ["a"])
    '{x} a of {1}'
    """

    def put(match: re.Match[str]) -> str:
        if match.group(1) is None:
            return match.group()[0]
        place = int(match.group(1))
        return text(arguments[place]) if place < len(arguments) else match.group()

    return _PLACEHOLDER.sub(put, template)


class Rules:
    """The rules of one run: those of the driver and those of its extensions."""

    def __init__(self, run: dict[str, Any]) -> None:
        """Take the run's driver, extensions and invocations."""
        tool = record(run.get("tool"))
        self._run = run
        self._driver = record(tool.get("driver"))
        self._extensions = rows(tool.get("extensions"))
        self._by_id: dict[str, dict[str, Any]] = {}
        for component in (self._driver, *map(record, self._extensions)):
            for rule in rows(component.get("rules")):
                self._by_id.setdefault(text(record(rule).get("id")), record(rule))
        self._by_id.pop("", None)

    def _component(self, reference: dict[str, Any]) -> dict[str, Any]:
        """The tool component that a reference names; the driver where it names none."""
        named = record(reference.get("toolComponent"))
        if whole(named.get("index")) is not None:
            return at(self._extensions, named.get("index"))
        for field in ("guid", "name"):
            wanted = text(named.get(field))
            for component in (self._driver, *map(record, self._extensions)):
                if wanted and text(component.get(field)) == wanted:
                    return component
        return self._driver

    def find(self, result: dict[str, Any]) -> tuple[str, dict[str, Any], bool]:
        """The rule's id, its descriptor (empty when unknown), and whether index and id agree.

        The index counts where it fits the id; else the id, then the id without its last parts
        (``A/b`` is a kind of ``A``, 3.27.5); where no rule has the id, the index after all.
        """
        reference = record(result.get("rule"))
        written = text(result.get("ruleId")) or text(reference.get("id"))
        index = reference.get("index", result.get("ruleIndex"))
        rule = at(self._component(reference).get("rules"), index)
        own = text(rule.get("id"))
        if rule and (not written or written == own or written.startswith(own + "/")):
            return written or own, rule, True
        guid = text(reference.get("guid"))
        for known in self._by_id.values() if guid else ():
            if text(known.get("guid")) == guid:
                return written or text(known.get("id")), known, True
        parts = written.split("/")
        for size in range(len(parts), 0, -1):
            known_rule = self._by_id.get("/".join(parts[:size]))
            if known_rule is not None:
                return written, known_rule, not rule
        return written, rule, not rule

    def level(self, result: dict[str, Any], rule: dict[str, Any]) -> Level:
        """How grave a result is, by the standard's lookup (3.27.10).

        What the result says itself; ``none`` for every kind but ``fail``; what the invocation
        changed; the rule's default; ``warning``.
        """
        own = _level(result.get("level"))
        if own:
            return own
        if text(result.get("kind")) not in {"", "fail"}:
            return "none"
        provenance = record(result.get("provenance"))
        invocation = at(self._run.get("invocations"), provenance.get("invocationIndex"))
        for entry in rows(invocation.get("ruleConfigurationOverrides")):
            descriptor = record(record(entry).get("descriptor"))
            if rule and self._describes(descriptor, rule):
                changed = _level(record(record(entry).get("configuration")).get("level"))
                if changed:
                    return changed
        return _level(record(rule.get("defaultConfiguration")).get("level")) or "warning"

    def _describes(self, reference: dict[str, Any], rule: dict[str, Any]) -> bool:
        named = at(self._component(reference).get("rules"), reference.get("index"))
        return named is rule or (not named and text(reference.get("id")) == text(rule.get("id")))

    def message(self, message: Any, rule: dict[str, Any], result: dict[str, Any]) -> str:
        """The text of a message: its own, or the rule's by id, with the arguments put in."""
        said = record(message)
        template, name = text(said.get("text")), text(said.get("id"))
        if not template and name:
            component = self._component(record(result.get("rule")))
            for strings in (rule.get("messageStrings"), component.get("globalMessageStrings")):
                template = template or text(record(record(strings).get(name)).get("text"))
        template = template or text(said.get("markdown"))
        arguments = said.get("arguments")
        if isinstance(arguments, list) or (name and not said.get("text")):
            return filled(template, rows(arguments))
        return template

    @property
    def names(self) -> int:
        """How many rules the run declares."""
        return len(self._by_id)


def _level(value: Any) -> Level | None:
    return cast("Level", value) if value in LEVELS and isinstance(value, str) else None


def described(rule: dict[str, Any]) -> tuple[str, str]:
    """A rule's short name and its explanation."""
    short = text(record(rule.get("shortDescription")).get("text"))
    full = text(record(rule.get("fullDescription")).get("text"))
    return text(rule.get("name")) or short, full or short
