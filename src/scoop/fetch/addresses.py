"""Which addresses the client may connect to: those of the public internet."""

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
# Public by their number, but inside a cloud they lead to its own services. Metadata services at other addresses
# (169.254.169.254, Alibaba's 100.100.100.200, Oracle's 192.0.0.192, fd00:ec2::254) are in the blocks above and below.
CLOUD_INTERNAL_V4 = [
    IPv4Network(block)
    for block in (
        "168.63.129.16/32",  # Azure: the wire server
        "34.118.224.0/20",  # Google Kubernetes Engine: services of the cluster, by default
        "199.36.153.4/30",  # Google: restricted.googleapis.com
        "199.36.153.8/30",  # Google: private.googleapis.com
        "161.26.0.0/16",  # IBM: infrastructure services
        "166.8.0.0/14",  # IBM: private service endpoints
    )
]
OPEN_V6 = IPv6Network("2000::/3")  # global unicast; all others are local, mapped, translated or multicast
CLOSED_V6 = [
    IPv6Network(block)
    for block in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")  # tunnels, protocol use, documentation
]


def is_public(address: str) -> bool:
    """Whether an address belongs to the public internet."""
    parsed = ip_address(address.split("%")[0])
    if isinstance(parsed, IPv6Address):
        return parsed in OPEN_V6 and not any(parsed in block for block in CLOSED_V6)
    return _is_public_v4(parsed)


def _is_public_v4(address: IPv4Address) -> bool:
    return not any(address in block for block in (*CLOSED_V4, *CLOUD_INTERNAL_V4))
