"""Classes of errors: what stops the work, what is tried again soon, and what is passed over."""

from datetime import UTC, datetime, timedelta

import pytest

from scoop.core import model_refusals, service_errors

NOON = datetime(2026, 11, 17, 12, 0, tzinfo=UTC)  # 04:00 in Los Angeles


@pytest.mark.parametrize(
    ("code", "error_class"),
    [
        ("NOT_FOUND", "not_found"),
        ("PERMISSION_DENIED", "denied"),
        ("UNAUTHENTICATED", "denied"),
        ("UNAVAILABLE", "unavailable"),
        ("DEADLINE_EXCEEDED", "unavailable"),
        ("RESOURCE_EXHAUSTED", "exhausted"),
        ("ALREADY_EXISTS", "unexpected"),
        ("INTERNAL", "unexpected"),
    ],
)
def test_codes_of_grpc_have_the_classes_of_the_table(code, error_class):
    assert service_errors.of_grpc(service_errors.code_name(code)) == error_class


@pytest.mark.parametrize(
    ("status", "error_class"),
    [
        (None, "unavailable"),
        (401, "denied"),
        (403, "denied"),
        (404, "not_found"),
        (402, "exhausted"),
        (429, "unexpected"),
        (400, "unexpected"),
        (503, "unavailable"),
        (504, "unavailable"),
    ],
)
def test_statuses_of_http_have_the_same_classes(status, error_class):
    assert service_errors.of_http(status) == error_class


def test_a_denied_request_waits_a_while_a_spent_quota_for_the_next_day_and_an_outage_as_the_stage_says():
    assert service_errors.wait("denied", now=NOON) == service_errors.RECHECK_DENIED
    assert service_errors.wait("exhausted", now=NOON) == timedelta(hours=20)
    assert service_errors.wait("unavailable", now=NOON) is None


@pytest.mark.parametrize(
    ("status", "body", "is_quota"),
    [
        (429, b'{"error": {"code": "insufficient_quota"}}', True),
        (429, b"Rate limit reached on requests per day (RPD): Limit 200", True),
        (429, b'[{"error": {"details": [{"quotaId": "GenerateRequestsPerDayPerProject"}]}}]', True),
        (429, b'[{"error": {"details": [{"quotaId": "GenerateRequestsPerMinutePerProject"}]}}]', False),
        (429, b'{"error": {"code": "rate_limit_exceeded"}}', False),
        (402, b"", True),
        (400, b"insufficient_quota", False),
    ],
)
def test_a_quota_of_the_day_is_told_from_one_of_the_minute(status, body, is_quota):
    assert model_refusals.is_quota(status, body) is is_quota
