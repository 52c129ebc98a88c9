"""The openai writer: a server with /v1/chat/completions."""

from scoop.core.briefs import Order, Prompt
from scoop.core.secrets import Secret, origin
from scoop.fetch.client import Client
from scoop.fetch.model_server import ModelServer, ServerSettings
from scoop.writers import Provider, Reply, chat

SETTINGS = ServerSettings(noun="writer openai", prefix="SCOOP_WRITERS_OPENAI")
OPENAI = "https://api.openai.com"


class OpenAIWriter:
    """Any server with `/v1/chat/completions`, as OpenAI, vLLM, llama.cpp, Ollama and LiteLLM have.

    The server may have a private address, since only the operator sets it. It gets the texts of articles, and no tools.
    Only OpenAI's own server needs a key.
    """

    name = "openai"
    access = "cli"
    waits = True
    provider: Provider = "openai"

    class Options(chat.ChatOptions, frozen=True, kw_only=True):
        """The server and its model.

        `base_url`: the address of the server, as http://127.0.0.1:11434/v1; its key is sent there.
        `model`: the model that the server uses.
        `api_key`: the key of the server, if it needs one.
        """

        base_url: str = ""
        model: str = ""
        api_key: Secret | None = None

    def __init__(self, options: Options, client: Client) -> None:
        SETTINGS.require(options, "base_url", "model")
        self.model = options.model
        self.endpoint = SETTINGS.endpoint(options.base_url, chat.OPERATION)
        self.prices = chat.prices(options)
        self.max_prompt_tokens = options.max_prompt_tokens
        if origin(self.endpoint) == OPENAI:
            SETTINGS.require(options, "api_key")
        server = ModelServer(
            client=client,
            endpoint=self.endpoint,
            settings=SETTINGS,
            max_bytes=chat.MAX_REPLY_BYTES,
            key=SETTINGS.read_key(options.api_key, self.endpoint),
        )
        self._chat = chat.Chat(server, model=options.model, options=options)

    async def write(self, _order: Order, prompt: Prompt) -> Reply:
        return await self._chat.write(prompt)
