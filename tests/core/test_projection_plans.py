"""Plans bring a store to the wanted records, also after writes that were cut off."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from core.shapes.test_summanow import SITE
from scoop.core.projection_plans import ProjectedRow, Record, SentItem, plan

NOW = datetime(2026, 11, 16, 12, 30, tzinfo=UTC)


def a_row(subject):
    return ProjectedRow(subject=subject, row_id=1, facts=SITE)


def plan_for(records, sent, *, target="here"):
    return plan({subject: a_row(subject) for subject in records}, records, sent, target=target, now=NOW)


def sent_after(made):
    return {
        upsert.subject: SentItem(
            subject=upsert.subject, row_id=1, keys=[upsert.record.key], fingerprint=upsert.fingerprint
        )
        for upsert in made.upserts
    }


RECORD = Record(key="a", content={"title": "x"})


def test_a_record_that_was_sent_is_not_sent_again():
    sent = sent_after(plan_for({"one": RECORD}, {}))
    assert plan_for({"one": RECORD}, sent) == plan_for({}, {})


def test_another_content_key_row_or_target_is_sent():
    sent = sent_after(plan_for({"one": RECORD}, {}))
    assert len(plan_for({"one": replace(RECORD, content={"title": "y"})}, sent).upserts) == 1
    assert plan_for({"one": replace(RECORD, key="b")}, sent).upserts[0].stale_keys == ("a",)
    assert len(plan_for({"one": RECORD}, {"one": replace(sent["one"], row_id=2)}).upserts) == 1
    assert len(plan_for({"one": RECORD}, sent, target="there").upserts) == 1


def test_an_expired_record_is_deleted_and_never_sent():
    expired = replace(RECORD, expires_at=NOW - timedelta(seconds=1))
    sent = sent_after(plan_for({"one": RECORD}, {}))
    assert plan_for({"one": expired}, {}) == plan_for({}, {})
    assert [item.subject for item in plan_for({"one": expired}, sent).deletions] == ["one"]


versions = st.dictionaries(
    st.sampled_from(["one", "two", "three"]), st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=3
)
steps = st.lists(st.tuples(versions, st.integers(0, 8)), min_size=1, max_size=6)


@given(steps, versions)
def test_whatever_was_cut_off_the_last_whole_pass_leaves_the_wanted_records(interrupted, wanted):
    store: dict[str, dict[str, int]] = {}
    sent: dict[str, SentItem] = {}
    for version, operations in interrupted:
        run(store, sent, version, operations)
    run(store, sent, wanted, None)
    assert store == {record.key: record.content for record in records_of(wanted).values()}


def records_of(version):
    return {
        subject: Record(key=f"{subject} {key}", content={"value": value}) for subject, (key, value) in version.items()
    }


def run(store, sent, version, operations):
    """Note the keys, write as many operations as happen before the crash, and note the end if there is none."""
    made = plan_for(records_of(version), sent)
    for upsert in made.upserts:
        known = sent[upsert.subject].keys if upsert.subject in sent else []
        keys = list(dict.fromkeys([*known, upsert.record.key]))
        sent[upsert.subject] = SentItem(subject=upsert.subject, row_id=1, keys=keys, fingerprint=None)
    for item in made.deletions:
        sent[item.subject] = replace(sent[item.subject], fingerprint=None)
    for operation in operations_of(store, made)[:operations]:
        operation()
    if operations is None:
        sent.update(sent_after(made))
        for item in made.deletions:
            del sent[item.subject]


def operations_of(store, made):
    moves = [lambda upsert=upsert: move(store, upsert) for upsert in made.upserts]
    deletions = [lambda key=key: store.pop(key, None) for item in made.deletions for key in item.keys]
    return [*moves, *deletions]


def move(store, upsert):
    for key in upsert.stale_keys:
        store.pop(key, None)
    store[upsert.record.key] = upsert.record.content
