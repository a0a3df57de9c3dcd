"""Salts that are the same every time a test is run, and others in every test."""

import hashlib
from itertools import count

import pytest


@pytest.fixture(autouse=True)
def recorded_salts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = count()
    name = request.node.name
    monkeypatch.setattr("fewlabels.study.create.new_salt", lambda: hashlib.sha256(f"{name}:{next(numbers)}".encode()).hexdigest()[:32])
