"""Which servers will do."""

import pytest

from scoop.store import db


@pytest.mark.parametrize(
    ("version", "said"),
    [(None, "no pgvector"), ("0.7.4", "pgvector 0.7.4; install 0.8"), ("0.8.0", None), ("0.10.1", None), ("1.0", None)],
)
def test_a_server_needs_a_pgvector_that_can_search_on(version, said):
    problem = db.pgvector_problem(version)
    assert problem is None if said is None else said in problem
