"""Schemathesis: requests made at random from the OpenAPI document find no server error, and every answer is as the document says."""

import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.core.result import Ok

from tests.service.workbench import Bench, make_bench

SECONDS = 120  # that an answer may take on a busy machine
EXAMPLES = 8  # of each operation as the document says, and as many against it
SKIPPED = ("/api/leave", "/events")  # ends the token that asks; never ends
REAL = {"study": "alpha", "person": "vic", "unit": "u0001", "column": "photo"}
load_all_checks()
CHECKED = CHECKS.get_by_names(
    ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
     "response_schema_conformance", "negative_data_rejection"]
)  # fmt: skip


def operations(bench: Bench, token: str) -> Iterator[Any]:
    """Every operation of the document, as the server gives it."""
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", bench.app, headers={"Authorization": token})
    for found in schema.get_all_operations():
        assert isinstance(found, Ok), f"the document has an operation that cannot be read: {found}"
        operation: Any = found.ok()
        if not operation.path.endswith(SKIPPED):
            yield operation


def explore(bench: Bench, person: str) -> Counter[int]:
    """The codes of all answers to somebody's requests made at random; half of them about what exists."""
    token, codes = str(bench.program(person).headers["Authorization"]), Counter[int]()

    for operation, mode in product(operations(bench, token), GenerationMode):

        @seed(42)
        @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
        @given(case=operation.as_strategy(generation_mode=mode), real=st.booleans())
        def ask(case: Any, real: bool) -> None:
            if real:
                case.path_parameters |= {name: value for name, value in REAL.items() if name in case.path_parameters}
            answer = case.call(headers={"Authorization": token}, timeout=SECONDS)
            codes[answer.status_code] += 1
            case.validate_response(answer, checks=CHECKED)

        with suppress(Unsatisfiable):  # a request without parts cannot be wrong
            ask()
    return codes


@pytest.mark.parametrize("person", ["owner", "ann", "vic"])
def test_requests_made_at_random_find_no_server_error(tmp_path_factory: pytest.TempPathFactory, person: str) -> None:
    codes = explore(make_bench(tmp_path_factory.mktemp("schema")), person)
    assert codes[200] > 20  # something was done
    assert max(codes) < 500
    assert codes[422] >= 5  # and something refused for its form
    assert codes[401] == 0


def test_a_server_error_is_found(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: a defect behind one route is reported."""
    bench = make_bench(tmp_path_factory.mktemp("broken"))
    monkeypatch.setattr(bench.people, "tokens", lambda person: 1 / 0)
    with pytest.raises(BaseExceptionGroup) as found:
        explore(bench, "ann")
    assert "Server error" in "".join(traceback.format_exception(found.value))
