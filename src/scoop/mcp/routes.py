"""The protocol over HTTP: each request stands for itself, and comes in only with the right to read."""

from fastapi import Request, Response
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from scoop.http import routes
from scoop.http.routes import needs

router = routes.for_pages()


@router.post("/mcp")
@needs("read")
async def handle_mcp(request: Request) -> Response:
    """What an assistant sends; answered as the protocol says."""
    return _Carried(request.app.state.mcp)


class _Carried(Response):
    """An answer that the protocol's own transport writes."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        super().__init__()
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._manager.handle_request(scope, receive, send)
