"""Ids that hold a time."""

import os
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from hypothesis import given
from hypothesis import strategies as st

from scoop.core import ids

# Appendix A.6 of RFC 9562
EXAMPLE = UUID("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
EXAMPLE_TIME = datetime(2022, 2, 22, 19, 22, 22, tzinfo=UTC)


def test_a_timed_uuid_is_one_of_version_7():
    made = ids.timed_uuid(EXAMPLE_TIME, EXAMPLE.bytes[6:])
    assert made == EXAMPLE
    assert (made.version, made.variant) == (7, EXAMPLE.variant)


def test_a_timed_uuid_gives_its_time_back_and_another_has_none():
    assert ids.time_of_uuid(EXAMPLE) == EXAMPLE_TIME
    assert ids.time_of_uuid(uuid4()) is None
    assert ids.time_of_uuid(UUID(int=0)) is None


@given(
    st.datetimes(
        min_value=datetime(1971, 1, 1),  # noqa: DTZ001 - hypothesis adds the timezone
        max_value=datetime(9998, 1, 1),  # noqa: DTZ001
        timezones=st.just(UTC),
    ),
    st.timedeltas(timedelta(seconds=1), timedelta(days=300)),
)
def test_timed_uuids_sort_by_their_time(moment, later):
    first, second = (ids.timed_uuid(each, os.urandom(ids.RANDOM_BYTES)) for each in (moment, moment + later))
    assert first < second
