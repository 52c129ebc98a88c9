"""The azure writer: a deployment of Azure OpenAI."""

from urllib.parse import quote, urlencode

from scoop.core.briefs import Order, Prompt
from scoop.core.secrets import Secret
from scoop.fetch.client import Client
from scoop.fetch.model_server import ModelServer, ServerSettings
from scoop.writers import Provider, Reply, chat

SETTINGS = ServerSettings(noun="writer azure", prefix="SCOOP_WRITERS_AZURE", model_option="deployment")
KEY_HEADER = "api-key"


class Azure:
    """A deployment of a model in Azure OpenAI, which needs the resource's endpoint and one of its keys.

    A prompt or reply that Azure's content filter stops is recorded as filtered, and is not tried again as it is.
    """

    name = "azure"
    access = "cli"
    waits = True
    provider: Provider = "azure_openai"

    class Options(chat.ChatOptions, frozen=True, kw_only=True):
        """The resource and its deployment.

        `base_url`: the endpoint of the resource, as https://NAME.openai.azure.com; its key is sent there.
        `deployment`: the name of the deployment, which decides the model.
        `api_version`: the version of the API; the default is the oldest that takes a JSON schema and is not a preview.
        `api_key`: a key of the resource.
        """

        base_url: str = ""
        deployment: str = ""
        api_version: str = "2024-10-21"
        api_key: Secret | None = None

    def __init__(self, options: Options, client: Client) -> None:
        SETTINGS.require(options, "base_url", "deployment", "api_version", "api_key")
        self.model = options.deployment
        self.endpoint = _endpoint(options)
        self.prices = chat.prices(options)
        self.max_prompt_tokens = options.max_prompt_tokens
        server = ModelServer(
            client=client,
            endpoint=self.endpoint,
            settings=SETTINGS,
            max_bytes=chat.MAX_REPLY_BYTES,
            key=SETTINGS.read_key(options.api_key, self.endpoint),
            key_header=KEY_HEADER,
        )
        self._chat = chat.Chat(server, model=options.deployment, options=options)

    async def write(self, _order: Order, prompt: Prompt) -> Reply:
        return await self._chat.write(prompt)


def _endpoint(options: Azure.Options) -> str:
    parsed = SETTINGS.parse_url(options.base_url)
    deployment = quote(options.deployment, safe="")
    parsed.pathname = f"{parsed.pathname.rstrip('/')}/openai/deployments/{deployment}/{chat.OPERATION}"
    parsed.search = urlencode({"api-version": options.api_version})
    return str(parsed.href)
