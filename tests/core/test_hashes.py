import copy
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import hashes
from scoop.core.hashes import content_hash, hamming, payload_hash, sha256, title_hash

WORDS = st.lists(st.text(alphabet="abcdefgh", min_size=1, max_size=4), min_size=1, max_size=60)
SIGNED_64_BIT = st.integers(min_value=-(2**63), max_value=2**63 - 1)


def an_item(**changes):
    return {"title": "A title", "source_metadata": {"collection": "ai_news", "job_run_id": "1"}, **changes}


def simhash(words):
    return hashes.simhash(hashes.digests(words))


def test_the_hash_of_a_text_is_that_of_its_utf_8():
    assert sha256("あ") == hashlib.sha256("あ".encode()).digest()


def test_a_content_hash_knows_where_the_title_ends():
    assert content_hash("a b", "c") != content_hash("a", "b c")
    assert content_hash("a", "") != title_hash("a")


@pytest.mark.parametrize("key", ["job_run_id", "scraped_at", "scrape_run_uuid"])
def test_a_second_scrape_of_the_same_item_has_the_same_hash(key):
    again = an_item(source_metadata={"collection": "ai_news", "job_run_id": "1", key: "another"})
    assert payload_hash(again) == payload_hash(an_item())


@pytest.mark.parametrize(
    "changes", [{"title": "Another"}, {"job_run_id": "2"}, {"source_metadata": {"collection": "world_news"}}]
)
def test_changed_content_has_another_hash(changes):
    assert payload_hash(an_item(**changes)) != payload_hash(an_item())


def test_the_order_of_keys_does_not_change_the_hash():
    item = an_item(source_metadata={"b": {"y": 1, "x": 2}, "a": 1})
    turned = {"source_metadata": {"a": 1, "b": {"x": 2, "y": 1}}, "title": "A title"}
    assert payload_hash(item) == payload_hash(turned)


def test_hashing_leaves_the_item_as_it_was():
    item = an_item()
    before = copy.deepcopy(item)
    payload_hash(item)
    assert item == before


def test_integers_of_any_size_are_hashed():
    assert payload_hash(an_item(views=2**70)) != payload_hash(an_item(views=2**70 + 1))


def test_no_words_have_no_simhash():
    assert simhash([]) is None


def test_a_simhash_stays_what_it_was_when_it_was_stored():
    assert simhash(["the", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog"]) == -9074042401582837145


def test_texts_that_share_most_words_are_near_and_others_far():
    words = [f"word{number}" for number in range(200)]
    others = [f"other{number}" for number in range(200)]
    assert hamming(simhash(words), simhash([*words[:-4], *others[:4]])) <= 8
    assert hamming(simhash(words), simhash(others)) >= 16


@given(WORDS.flatmap(lambda words: st.tuples(st.just(words), st.permutations(words))))
def test_a_simhash_is_a_signed_64_bit_number_that_does_not_see_the_order(orders):
    words, shuffled = orders
    assert simhash(words) == simhash(shuffled)
    assert -(2**63) <= simhash(words) < 2**63


@given(SIGNED_64_BIT, SIGNED_64_BIT)
def test_hamming_counts_the_bits_that_differ(a, b):
    differing = sum((a >> bit) & 1 != (b >> bit) & 1 for bit in range(64))
    assert hamming(a, b) == hamming(b, a) == differing
