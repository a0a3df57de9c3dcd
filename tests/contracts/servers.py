"""The servers that tests may use, as `scripts/services run` names them, and the marks of tests that need one.

A test without its server is skipped, so that a desk without one can run the others; `.ci/run` starts PostgreSQL and Spark.
"""

import os

import pytest

SPARK = os.environ.get("FEWLABELS_TEST_SPARK", "")
CONNECT = os.environ.get("FEWLABELS_TEST_SPARK_CONNECT", "")
POSTGRES = os.environ.get("FEWLABELS_TEST_POSTGRES", "")
# `.ci/run` starts both servers (scripts/services run -- make test): only a desk without them skips.
_WAY_OUT = "needs a server: scripts/services run -- COMMAND"
# One Spark session a process, so under pytest-xdist every test that needs one goes to the same worker (--dist loadgroup).
NEEDS_SPARK = (pytest.mark.spark, pytest.mark.skipif(not SPARK, reason=_WAY_OUT))
NEEDS_POSTGRES = pytest.mark.skipif(not POSTGRES, reason=_WAY_OUT)
