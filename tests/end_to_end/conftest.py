"""A folder that tests of a file share without leaving anything in it to each other."""

import pytest

from tests.end_to_end.commands import Prepared


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return Prepared(tmp_path_factory.mktemp("prepared"))
