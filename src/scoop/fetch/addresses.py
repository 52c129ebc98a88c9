"""Which addresses may be connected to: the public internet, and nothing that is somebody's inside."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

# The standard library's is_private and is_global miss several of these.
CLOSED_V4 = [
    IPv4Network(block)
    for block in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
    )
]  # fmt: skip
OPEN_V6 = IPv6Network("2000::/3")  # global unicast; all else is local, mapped, translated or multicast
CLOSED_V6 = [
    IPv6Network(block)
    for block in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")  # tunnels, protocol use, documentation
]


def is_public(address: str) -> bool:
    """Whether an address is one of the public internet."""
    found = ip_address(address.split("%")[0])
    if isinstance(found, IPv6Address):
        return found in OPEN_V6 and not any(found in block for block in CLOSED_V6)
    return _is_public_v4(found)


def _is_public_v4(address: IPv4Address) -> bool:
    return not any(address in block for block in CLOSED_V4)
