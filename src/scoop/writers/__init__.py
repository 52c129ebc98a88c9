"""Writer plugins, one file each: an order and its prompt to a reply in JSON."""

from dataclasses import dataclass
from typing import Literal, Protocol

from scoop.core.briefs import Order, Prompt

Finish = Literal["complete", "cut_off", "refused", "filtered"]
Provider = Literal["openai", "azure_openai", "local"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a writer answered: its text, which should be JSON, and what it cost.

    `model` is the model that answered, as the server names it. A refusal has its reason as text.
    """

    text: str
    model: str
    finish: Finish = "complete"
    input_tokens: int = 0
    output_tokens: int = 0
    latency_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Money for a million tokens."""

    input_price: float = 0.0
    output_price: float = 0.0
    currency: str = "USD"


class Writer(Protocol):
    """Writes one text for an order; made with its options and the HTTP client.

    `waits`: it waits for the network. `max_prompt_tokens`: about the most that a prompt may have. `provider`, `model`
    and `endpoint` (of an instance) are stored with its texts. Transient failures are a FetchFailed or Retry, with the
    wait that the server asks for.
    """

    name: str
    waits: bool
    provider: Provider

    @property
    def model(self) -> str: ...

    @property
    def endpoint(self) -> str: ...

    @property
    def max_prompt_tokens(self) -> int: ...

    @property
    def prices(self) -> Prices: ...

    async def write(self, order: Order, prompt: Prompt) -> Reply: ...
