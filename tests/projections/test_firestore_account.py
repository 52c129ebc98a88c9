"""The service account of the firestore projection: a token that it signs itself, sent to the endpoint alone."""

import json
import os
import subprocess
import sys
from concurrent import futures

import grpc
import jwt
import pytest
import trustme
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from projections.scripted_firestore import ScriptedFirestore

ACCOUNT = "desk@my-project.iam.gserviceaccount.com"
WRITE = """
import asyncio, sys
from scoop.core.secrets import Secret
from scoop.projections.firestore import Firestore
options = Firestore.Options(project="my-project", base_url=sys.argv[1], credentials=Secret(sys.stdin.read()))
asyncio.run(Firestore(options).prepare())
"""


@pytest.fixture(scope="module")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def as_file(key: rsa.RSAPrivateKey) -> str:
    """The key as the vendor's console gives it; its token server does not exist."""
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
    return json.dumps(
        {
            "type": "service_account",
            "project_id": "my-project",
            "private_key_id": "k1",
            "private_key": pem,
            "client_email": ACCOUNT,
            "token_uri": "http://127.0.0.1:9/token",
        }
    )


def test_the_token_is_signed_by_the_account_for_the_endpoint_and_no_other_server_is_asked(key, tmp_path):
    authority, script = trustme.CA(), ScriptedFirestore()
    authority.cert_pem.write_to_path(tmp_path / "roots.pem")
    certificate = authority.issue_cert("localhost")
    pair = (certificate.private_key_pem.bytes(), certificate.cert_chain_pems[0].bytes())
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=2), handlers=[script])
    port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([pair]))
    server.start()
    # gRPC reads the certificates of authorities once in a process.
    environ = {**os.environ, "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": str(tmp_path / "roots.pem")}
    environ |= {"https_proxy": "http://127.0.0.1:9", "GOOGLE_APPLICATION_CREDENTIALS": "/nowhere.json"}
    done = subprocess.run(
        [sys.executable, "-c", WRITE, f"https://localhost:{port}"],
        input=as_file(key),
        env=environ,
        capture_output=True,
        text=True,
    )
    server.stop(grace=None).wait()
    assert done.returncode == 0, done.stderr
    claims = jwt.decode(
        script.metadata["authorization"].removeprefix("Bearer "),
        key.public_key(),
        algorithms=["RS256"],
        audience="https://localhost/",
    )
    assert (claims["iss"], claims["sub"]) == (ACCOUNT, ACCOUNT)
