"""The MCP server: read-only tools for assistants."""
