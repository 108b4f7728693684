"""That the page and its server know the same token, which neither of them sends.

The server proves it before it is sent anything, and then requests and answers are signed with it.
A request is signed for one port and for as long as one server runs: whoever else takes the port in
between gets nothing that would be good for a second request, and cannot answer.
"""

import hmac
import secrets
from hashlib import sha256

from aiohttp import web

from simulator.review.view_address import _ANY

_SCHEME, _ANSWER = "Mogi ", "Mogi-Signature"
_SERVER_BYTES = 16  # of what tells servers apart
_DIGEST = web.RequestKey("digest", str)
_SIGNATURE = web.RequestKey("signature", str)


class Signatures:
    """Of one server, from its start to its end."""

    def __init__(self, token: str) -> None:
        self._key, self._server = token.encode(), secrets.token_urlsafe(_SERVER_BYTES)

    def proof(self, request: web.Request) -> str:
        """What tells this server from any other, and that it knows the token."""
        nonce = request.query.get("nonce", "")
        return f"{self._server} {self._signed('proof', nonce, request.host, self._server)}"

    def is_signed(self, request: web.Request) -> bool:
        """True if whoever sent the request knows the token; of its body so far the digest is."""
        sent = request.headers.get("Authorization", "").removeprefix(_SCHEME)
        digest, _, signature = sent.partition(" ")
        of = (request.method, request.raw_path, request.host, self._server, digest)
        expected = self._signed("request", *of)
        if not hmac.compare_digest(signature.encode(*_ANY), expected.encode()):
            return False
        request[_DIGEST], request[_SIGNATURE] = digest, signature
        return True

    def sign(self, request: web.Request, response: web.StreamResponse) -> None:
        """Sign the answer to a request that was signed."""
        signature = request.get(_SIGNATURE)
        if signature is not None and isinstance(response, web.Response):
            body = response.body if isinstance(response.body, bytes) else b""
            text = self._signed("answer", signature, str(response.status), sha256(body).hexdigest())
            response.headers[_ANSWER] = text

    def _signed(self, *parts: str) -> str:
        return hmac.new(self._key, "\n".join(parts).encode(*_ANY), "sha256").hexdigest()


async def signed_body(request: web.Request) -> bytes:
    """What was sent with a request that is signed.

    Raises:
        HTTPUnauthorized: it is not what was signed.
    """
    body = await request.read()
    if sha256(body).hexdigest() != request[_DIGEST]:
        raise web.HTTPUnauthorized(text="the body is not the one that was signed")
    return body
