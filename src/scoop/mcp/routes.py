"""MCP over HTTP: stateless requests that need the right to read."""

from fastapi import Request, Response
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from scoop.http import routes
from scoop.http.routes import needs

router = routes.for_pages()


@router.post("/mcp")
@needs("read")
async def handle_mcp(request: Request) -> Response:
    """Pass a request to the MCP transport."""
    return _TransportResponse(request.app.state.mcp)


class _TransportResponse(Response):
    """A response that the MCP transport writes."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        super().__init__()
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._manager.handle_request(scope, receive, send)
