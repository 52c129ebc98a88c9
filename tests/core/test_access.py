"""Networks: the addresses that limits count as one caller."""

import pytest

from scoop.core import access


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:DB8:1:2::", "2001:db8:1:2::/64"),
        ("::1", "::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("", ""),
        ("unix", "unix"),
    ],
)
def test_an_ipv6_address_counts_by_its_network_and_any_other_alone(address, network):
    assert access.network(address) == network
