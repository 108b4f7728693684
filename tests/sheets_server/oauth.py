"""Signing in: the token endpoint for service accounts and for people."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from google.auth import crypt, jwt

_SCOPES = ("https://www.googleapis.com/auth/spreadsheets", "https://www.googleapis.com/auth/drive")
_AUDIENCE = "https://oauth2.googleapis.com/token"  # google-auth names it, wherever it asks
_JWT_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_HOUR_S = 3600
_SLACK_S = 300  # that a clock may be wrong


class NotSignedInError(Exception):
    """A sign-in that is refused, with the endpoint's two words for it."""

    def __init__(self, error: str, description: str) -> None:
        self.body = {"error": error, "error_description": description}
        super().__init__(description)


@dataclass
class SignIns:
    """Who may sign in, and the tokens that were handed out.

    `keys`: e-mail of a service account -> its public certificate; `people`: refresh token ->
    (client id, client secret, e-mail).
    """

    keys: dict[str, str] = field(default_factory=dict)
    people: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    tokens: dict[str, tuple[str, float]] = field(default_factory=dict)
    revoked: set[str] = field(default_factory=set)
    ahead_s: float = 0.0  # of the machines that sign in
    granted: int = 0

    def token(self, form: Mapping[str, str]) -> dict[str, Any]:
        """The answer to a request for a token."""
        grant = form.get("grant_type")
        if grant == _JWT_GRANT:
            email = self._service(form.get("assertion", ""))
        elif grant == "refresh_token":
            email = self._person(form)
        else:
            raise NotSignedInError("unsupported_grant_type", f"Invalid grant_type: {grant}")
        self.granted += 1
        token = f"ya29.{self.granted}"
        self.tokens[token] = (email, time.time() + _HOUR_S)
        return {"access_token": token, "expires_in": _HOUR_S - 1, "token_type": "Bearer"}

    def _service(self, assertion: str) -> str:
        try:
            header, claims, signed, signature = jwt._unverified_decode(assertion)  # type: ignore[no-untyped-call]
        except ValueError as error:
            raise NotSignedInError("invalid_grant", "Invalid JWT.") from error
        email = str(claims.get("iss", ""))
        if email not in self.keys or email in self.revoked:
            raise NotSignedInError("invalid_grant", "Invalid grant: account not found")
        right = crypt.verify_signature(signed, signature, self.keys[email])  # type: ignore[no-untyped-call]
        if header.get("alg") != "RS256" or not right:
            raise NotSignedInError("invalid_grant", "Invalid JWT Signature.")
        self._check_claims(claims)
        return email

    def _check_claims(self, claims: Mapping[str, Any]) -> None:
        if claims.get("aud") != _AUDIENCE:
            raise NotSignedInError("invalid_grant", "Invalid JWT: Failed audience check.")
        now = time.time() - self.ahead_s
        issued, expires = float(claims.get("iat", 0)), float(claims.get("exp", 0))
        if abs(issued - now) > _HOUR_S + _SLACK_S or issued > now + _SLACK_S or expires < now:
            raise NotSignedInError(
                "invalid_grant",
                "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable "
                "timeframe. Check your iat and exp values in the JWT claim.",
            )
        scopes = str(claims.get("scope", "")).split()
        if not scopes or not set(scopes) <= set(_SCOPES):
            raise NotSignedInError("invalid_scope", "Invalid OAuth scope or ID token audience.")

    def _person(self, form: Mapping[str, str]) -> str:
        known = self.people.get(form.get("refresh_token", ""))
        if known is None or known[2] in self.revoked:
            raise NotSignedInError("invalid_grant", "Token has been expired or revoked.")
        if (form.get("client_id"), form.get("client_secret")) != known[:2]:
            raise NotSignedInError("invalid_client", "Unauthorized")
        return known[2]

    def who(self, authorization: str) -> str | None:
        """The e-mail behind a header; None if it is nobody's, or too old."""
        token = authorization.removeprefix("Bearer ")
        email, until = self.tokens.get(token, ("", 0.0))
        return email if email and until > time.time() and email not in self.revoked else None


def body_of(error: NotSignedInError) -> bytes:
    """The error as it is sent."""
    return json.dumps(error.body).encode()
