"""A Firestore server on the loopback address that answers as a test says, and notes what it was sent."""

from collections.abc import Iterator
from concurrent import futures
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.cloud.firestore_v1 import types

REQUESTS = {
    "Commit": types.CommitRequest,
    "BatchGetDocuments": types.BatchGetDocumentsRequest,
    "RunQuery": types.RunQueryRequest,
}
STREAMED = ("BatchGetDocuments", "RunQuery")


@dataclass
class ScriptedFirestore(grpc.GenericRpcHandler):
    """`codes` has the status codes of the next requests; after them, every request succeeds and finds nothing."""

    address: str = ""
    codes: list[grpc.StatusCode] = field(default_factory=list)
    requests: list[tuple[str, Any]] = field(default_factory=list)
    metadata: dict[str, str] = field(default_factory=dict)

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler:
        method = details.method.rpartition("/")[2]
        self.metadata = dict(details.invocation_metadata)

        def answer(content: bytes, context: grpc.ServicerContext) -> Any:
            self.requests.append((method, REQUESTS[method].deserialize(content)))
            if self.codes:
                context.abort(self.codes.pop(0), "as the test says")
            return iter(()) if method in STREAMED else types.CommitResponse()

        made = grpc.unary_stream_rpc_method_handler if method in STREAMED else grpc.unary_unary_rpc_method_handler
        return made(answer, response_serializer=lambda reply: type(reply).serialize(reply))

    @property
    def batch_sizes(self) -> list[int]:
        """The number of documents in each request that reads or writes."""
        return [len(request.writes if method == "Commit" else request.documents) for method, request in self.requests]


@contextmanager
def scripted_firestore() -> Iterator[ScriptedFirestore]:
    script = ScriptedFirestore()
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4), handlers=[script])
    script.address = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        yield script
    finally:
        server.stop(grace=None).wait()
