"""An account's requests through the `openai` SDK, for what hooks into it: `client: sdk`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from simulator import config
from simulator.core.bounds import TooMuch
from simulator.llm.account import Account, check_granted
from simulator.llm.http import CONNECT_S, HttpResponse, certificates, joined
from simulator.llm.parameters import CHAT

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Response
    from openai import AsyncOpenAI

# What goes by its name, for those who trace calls; all else of a body the SDK sends as it is.
# A stream is among that: its answer is read whole, as every other.
_NAMED = frozenset(
    {
        *("model", "messages", "input", "temperature", "max_tokens", "max_completion_tokens"),
        *("reasoning_effort", "response_format", "encoding_format"),
    }
)


class SdkClient:
    """See `HttpClient`; nothing is sent twice."""

    def __init__(self, account: Account, pool: int) -> None:
        import httpx2
        from openai import DefaultAioHttpClient

        timeout = httpx2.Timeout(None, connect=CONNECT_S)
        here = config.is_here(config.origin(account.where))  # no business of a proxy
        http = _bounded(DefaultAioHttpClient, account)(
            limits=httpx2.Limits(max_connections=pool, max_keepalive_connections=pool),
            timeout=timeout,
            verify=certificates(account) or False,
            follow_redirects=False,
            trust_env=not here,
        )
        self._sdk = _sdk(
            account,
            base_url=account.where,
            api_key=account.key or "none",  # the SDK insists on one
            default_headers=dict(account.headers),
            http_client=http,
            timeout=timeout,
            max_retries=0,
        )

    async def post(self, path: str, body: Mapping[str, Any]) -> HttpResponse:
        """See `HttpClient`.

        Raises:
            TooMuch: the answer is longer than `BODY_LIMIT`.
            aiohttp.ClientError, OSError: there was none.
        """
        import openai

        try:
            response = await self._response(path, body)
        except openai.APIStatusError as error:
            response = error.response
        except openai.APIConnectionError as error:
            raise _cause(error) from error
        return HttpResponse(response.status_code, response.headers, response.content)

    async def _response(self, path: str, body: Mapping[str, Any]) -> "Response":
        import httpx2

        named = {name: value for name, value in body.items() if name in _NAMED}
        others = {name: value for name, value in body.items() if name not in _NAMED}
        if path == CHAT:
            chat = self._sdk.chat.completions.with_raw_response
            raw = await chat.create(**named, extra_body=others)
        elif "encoding_format" in body:
            embeddings = self._sdk.embeddings.with_raw_response
            raw = await embeddings.create(**named, extra_body=others)
        else:  # `create` would ask for base64, which this endpoint does not know
            return await self._sdk.post(path, body=dict(body), cast_to=httpx2.Response)
        return cast("Response", raw.http_response)

    async def aclose(self) -> None:
        """See `HttpClient`."""
        await self._sdk.close()


def _sdk(account: Account, **settings: Any) -> "AsyncOpenAI":
    from openai import AsyncAzureOpenAI, AsyncOpenAI

    if account.azure:
        return AsyncAzureOpenAI(api_version=account.api_version, **settings)
    return AsyncOpenAI(**settings)


def _bounded(kind: "type[AsyncClient]", account: Account) -> "type[AsyncClient]":
    """The kind of client that asks this account alone; its answers end at `BODY_LIMIT`."""
    import httpx2

    class Bounded(kind):  # type: ignore[valid-type,misc]
        async def send(self, request: Any, *, stream: bool = False, **options: Any) -> "Response":
            check_granted(account, str(request.url))
            response = await super().send(request, stream=True, **options)
            if stream:
                return cast("Response", response)
            try:
                content = await joined(response.aiter_bytes())
            finally:
                await response.aclose()
            packed = ("content-encoding", "content-length", "transfer-encoding")
            headers = [h for h in response.headers.multi_items() if h[0].lower() not in packed]
            return httpx2.Response(
                response.status_code,
                headers=headers,
                content=content,
                request=response.request,
                extensions=response.extensions,
            )

    return Bounded


def _cause(error: BaseException) -> Exception:
    """The SDK calls every such failure a timeout or a connection error; its causes tell more."""
    import aiohttp

    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, TooMuch | aiohttp.ClientError):
            return cause
        cause = cause.__cause__ or cause.__context__
    return ConnectionError(str(error))
