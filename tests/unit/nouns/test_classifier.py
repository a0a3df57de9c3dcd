"""Names a classifier may have."""

import pytest

from fewlabels.errors import PopulationError
from fewlabels.nouns.classifier import Classifier


@pytest.mark.parametrize("name", ["each", "a over b", "x by y", "z in q"])
def test_a_name_that_a_goal_could_not_say_is_refused(name: str) -> None:
    with pytest.raises(PopulationError, match="rename it"):
        Classifier(name, predicted="flag")
