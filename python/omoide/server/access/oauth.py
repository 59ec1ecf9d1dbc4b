"""OAuth 2.1 resource server: identifies the bearer of a token (JWT) that an authorization server has signed.

A token is checked against the issuer's keys (JWKS), the issuer's name, ours as the audience, and the time. Its scopes say what
the bearer may do, a claim names the tenant. RFC 9728 metadata tell clients where to get a token.

Useful for: a server whose users sign in elsewhere. Not useful for: signing in; we issue no tokens. Invariant: no token is
accepted without a valid signature by a key of the issuer, with an asymmetric algorithm.
"""

from __future__ import annotations

import asyncio
import logging
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from time import monotonic, time
from typing import Any
from urllib.parse import unquote

import anyio
import anyio.to_thread
import jwt
from jwt.utils import base64url_decode
from mcp.server.auth.provider import AccessToken, TokenVerifier
from mcp.server.auth.routes import build_resource_metadata_url, create_protected_resource_routes
from pydantic import AnyHttpUrl, ConfigDict, TypeAdapter, ValidationError
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp

from omoide import nesting
from omoide.errors import InvalidArgument, filled, shown
from omoide.server.access.refusal import Refusal
from omoide.server.access.tokens import MAX_NAME_CHARS
from omoide.server.access.visitor import MEASURING, WRITING, Rights, Visitor
from omoide.turns import WouldWait

logger = logging.getLogger(__name__)

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
#: The first letters of an algorithm -> the type of its keys.
_KEY_TYPES = {"RS": "RSA", "PS": "RSA", "ES": "EC", "Ed": "OKP"}
#: Scope -> what it allows; the first one that a token has counts.
SCOPES: Mapping[str, Rights] = {WRITING: "write", "memories:read": "read", MEASURING: "metrics"}
#: Where clients look for the metadata that were pointed to none.
_ROOT = "/.well-known/oauth-protected-resource"
#: Clocks differ.
LEEWAY_SECONDS = 30
#: How long keys stay valid before they are read again, and the shortest time before they are read again for an unknown key, or
#: while there are none: an issuer may sign with a new key as soon as it is published.
KEYS_SECONDS = 600.0
RETRY_SECONDS = 5.0
#: How long before that they are read in the background, so that no request with a known key waits.
AHEAD_SECONDS = 60.0
#: How long the issuer may take to send all of them.
READ_SECONDS = 10.0
#: Requests that may wait for keys: at most so many, and at most this share of the connections. Anyone can make up names of keys, and
#: the issuer may be slow to answer.
MOST_WAITING = 1_000
WAITING_SHARE = 1 / 12


class Jwks:
    """The issuer's keys. `read` blocks and returns the JSON; it may raise OSError or ValueError, and is given up after
    `seconds`. `connections` tells how many the process can hold, of which only some may wait."""

    def __init__(
        self,
        read: Callable[[], bytes],
        clock: Callable[[], float] = monotonic,
        *,
        seconds: float = READ_SECONDS,
        connections: Callable[[], float] = lambda: math.inf,
    ) -> None:
        self._read = read
        self._clock = clock
        self._seconds = seconds
        self._connections = connections
        self._waiting = 0
        self._keys: Sequence[Mapping[str, Any]] = ()
        self._tried_at: float | None = None
        self._reading = anyio.Lock()
        self._under_way = threading.Lock()
        self._renewing: asyncio.Task[None] | None = None

    def keys(self, kid: str | None, algorithm: str) -> Sequence[Mapping[str, Any]]:
        """The keys of that name for that algorithm; without a name, all for it. Raises Refusal (there are no keys at all), WouldWait
        (call `renew` first)."""
        if self._is_old(KEYS_SECONDS) or (self._is_old(RETRY_SECONDS) and not self._candidates(kid, algorithm)):
            raise WouldWait
        if self._is_old(KEYS_SECONDS - AHEAD_SECONDS):
            self._renew_in_background()
        if not self._keys:
            raise _unavailable()
        return self._candidates(kid, algorithm)

    def expect_others(self) -> None:
        """Raise WouldWait if the issuer may publish other keys by now: one in the place of a known one, with its name or both without."""
        if self._is_old(RETRY_SECONDS):
            raise WouldWait

    def _candidates(self, kid: str | None, algorithm: str) -> Sequence[Mapping[str, Any]]:
        return [each for each in self._keys if _fits(each, algorithm) and kid in (None, each.get("kid"))]

    def _is_old(self, seconds: float) -> bool:
        return self._tried_at is None or self._clock() - self._tried_at > seconds

    def _renew_in_background(self) -> None:
        if self._renewing is None or self._renewing.done():
            self._renewing = asyncio.create_task(self._read_again())

    async def renew(self) -> None:
        """Read the keys, unless that was done a moment ago. Raises Refusal (too many wait for that already)."""
        if self._waiting >= min(MOST_WAITING, WAITING_SHARE * self._connections()):
            raise _unavailable()
        self._waiting += 1
        try:
            await self._read_again()
        finally:
            self._waiting -= 1

    async def _read_again(self) -> None:
        async with self._reading:
            if not self._is_old(RETRY_SECONDS):
                return  # another request has just done it
            try:
                with anyio.fail_after(self._seconds):
                    self._keys = _keys(await anyio.to_thread.run_sync(self._read_alone, abandon_on_cancel=True))
            except (OSError, ValueError) as error:
                late = f"no answer within {self._seconds:g} s" if isinstance(error, TimeoutError) else ""
                why = str(error) or late or type(error).__name__
                logger.warning("the issuer's keys could not be read: %s", why)
            else:
                if not self._keys:
                    logger.warning("the issuer publishes no key that can be used")
            self._tried_at = self._clock()

    def _read_alone(self) -> bytes:
        """Read the keys, in one thread at a time: a read that was given up goes on in its thread, and a second one would take
        another thread from the requests. Raises TimeoutError then, and what `read` raises."""
        if not self._under_way.acquire(blocking=False):
            raise TimeoutError
        try:
            return self._read()
        finally:
            self._under_way.release()


def _unavailable() -> Refusal:
    wait = {"Retry-After": f"{RETRY_SECONDS:.0f}"}
    also = {"ja": "現在、トークンを検証できません。", "zh": "目前无法验证令牌。"}
    return Refusal(503, "keys_unavailable", "Tokens cannot be verified at present.", wait, also=also)


class _NotAcceptedError(Exception):
    """Why a token is not accepted. That goes to the log only, not to the client."""


class JwtVerifier(TokenVerifier):
    """The SDK's verifier, for tokens signed by one issuer. `aliases` are other ways to write the audience; `clock` gives
    seconds since 1970."""

    def __init__(
        self,
        jwks: Jwks,
        *,
        issuer: str,
        audience: str,
        aliases: Sequence[str] = (),
        clock: Callable[[], float] = time,
    ) -> None:
        self._jwks = jwks
        self._issuer = issuer
        self._audience = audience
        self._audiences = [audience, *aliases]
        self._clock = clock

    async def verify_token(self, token: str) -> AccessToken | None:
        """What the token says; None if it is not valid, or no longer. Raises Refusal (there are no keys, or too many wait for
        them)."""
        try:
            return self.verified(token)
        except WouldWait:
            await self._jwks.renew()
        return await self.verify_token(token)

    def verified(self, token: str) -> AccessToken | None:
        """The same, but raises WouldWait if the issuer has to be asked."""
        try:
            if any(nesting.is_too_deep(base64url_decode(part)) for part in token.split(".")[:2]):
                raise _NotAcceptedError("it is nested too deeply")
            header = jwt.get_unverified_header(token)
            algorithm = header.get("alg")
            if algorithm not in ALGORITHMS:
                raise _NotAcceptedError("its algorithm is none of those that are")
            for key in self._jwks.keys(header.get("kid"), algorithm):
                with suppress(jwt.InvalidSignatureError, jwt.InvalidKeyError):
                    return self._access(token, self._claims(token, jwt.PyJWK(dict(key), algorithm), algorithm))
            self._jwks.expect_others()
            raise _NotAcceptedError("no key of the issuer has signed it")
        except _NotAcceptedError as why:
            logger.info("a token was not accepted: %s", why)
        except (jwt.PyJWTError, ValueError, TypeError, OverflowError) as error:
            logger.info("a token was not accepted: it is malformed (%s)", type(error).__name__)
        return None

    def _claims(self, token: str, key: jwt.PyJWK, algorithm: str) -> dict[str, Any]:
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=[algorithm],
                audience=self._audiences,
                issuer=self._issuer,
                # Times are checked below, with our own clock.
                options={"require": ["exp"], "verify_exp": False, "verify_nbf": False, "verify_iat": False},
            )
        except jwt.InvalidAudienceError:
            raise _NotAcceptedError(f"its audience is {_claimed(token, 'aud')}, not {self._audience!r}") from None
        except jwt.InvalidIssuerError:
            raise _NotAcceptedError(f"its issuer is {_claimed(token, 'iss')}, not {self._issuer!r}") from None
        except jwt.MissingRequiredClaimError as error:
            raise _NotAcceptedError(f"it has no claim {error.claim}") from None
        begins, ends = float(claims.get("nbf", 0)), float(claims["exp"])
        if not begins - LEEWAY_SECONDS <= self._clock() < ends + LEEWAY_SECONDS:
            raise _NotAcceptedError("its time has not come, or is over")
        return claims

    def _access(self, token: str, claims: Mapping[str, Any]) -> AccessToken:
        return AccessToken(
            token=token,
            client_id=str(claims.get("client_id") or claims.get("azp") or claims.get("sub") or ""),
            scopes=_scopes(claims),
            expires_at=int(claims["exp"]),
            resource=self._audience,
            subject=claims.get("sub"),
            claims=dict(claims),
        )


def _claimed(token: str, name: str) -> str:
    """A claim of a signed token, for the log: the operator sees whether to change the server's settings or the issuer's."""
    return shown(jwt.decode(token, options={"verify_signature": False}).get(name))


class OAuth:
    """Makes visitors of verified tokens. `tenant_claim` names the claim with the tenant; at `metadata_url` clients learn how to
    get a token."""

    def __init__(self, verifier: JwtVerifier, tenant_claim: str, metadata_url: str | None = None) -> None:
        self._verifier = verifier
        self._tenant_claim = tenant_claim
        self._metadata_url = metadata_url

    def at_once(self, token: str) -> Visitor | None:
        """See tokens.Verifier."""
        return self._visitor(self._verifier.verified(token))

    async def visitor(self, token: str) -> Visitor | None:
        """See tokens.Verifier."""
        return self._visitor(await self._verifier.verify_token(token))

    def _visitor(self, access: AccessToken | None) -> Visitor | None:
        if access is None:
            return None
        tenant = (access.claims or {}).get(self._tenant_claim)
        if not isinstance(tenant, str) or not 0 < len(tenant) <= MAX_NAME_CHARS:
            logger.info("a token was not accepted: its claim %s names no tenant", self._tenant_claim)
            return None
        rights = next((right for scope, right in SCOPES.items() if scope in access.scopes), None)
        name = f"{tenant} by {access.client_id}"[:MAX_NAME_CHARS]
        return Visitor(name, tenant, rights, expires=True, metadata_url=self._metadata_url)


def metadata(resource: str, issuer: str) -> tuple[str, Mapping[str, ASGIApp]]:
    """The metadata of RFC 9728: their URL, and the application for each path: that of the URL, and the one without the path of
    the resource, which MCP adds. Raises InvalidArgument (not a valid URL)."""
    url = _url("public_url", resource)
    (route,) = create_protected_resource_routes(url, [_url("oauth_issuer", issuer)], [*SCOPES], "omoide 思い出")
    paths = {_ROOT, unquote(route.path)}
    return str(build_resource_metadata_url(url)), {path: _application_at(path, route) for path in paths}


def advertised(resource: str) -> str:
    """The resource as the metadata spell it and clients name it to the issuer: in ASCII. Raises InvalidArgument."""
    return str(_url("public_url", resource))


def _url(setting: str, given: str) -> AnyHttpUrl:
    try:
        return _URL.validate_python(given)
    except ValidationError as error:
        raise InvalidArgument(
            setting,
            f"{setting} is {given!r}, which is no URL: {error.errors()[0]['msg']}.",
            hint="Write one such as https://memory.example.org/mcp.",
            code="bad_setting",
            also=filled(
                {
                    "ja": "{setting} に {url} は使えません。https://memory.example.org/mcp のような URL を書いてください。",
                    "zh": "{setting} 不能是“{url}”。请写 https://memory.example.org/mcp 这样的 URL。",
                },
                setting=setting,
                url=given,
            ),
        ) from None


def _application_at(path: str, route: Route) -> ASGIApp:
    """The application of a route, at its decoded path, as requests have it."""
    return Starlette(routes=[Route(path, endpoint=route.endpoint, methods=[*(route.methods or ())])])


#: Clients compare these letter by letter with what the issuer says of itself, so no slash is added to a bare host.
_URL: TypeAdapter[AnyHttpUrl] = TypeAdapter(AnyHttpUrl, config=ConfigDict(url_preserve_empty_path=True))


def _scopes(claims: Mapping[str, Any]) -> list[str]:
    """The scopes in `scope` (RFC 9068) or `scp`, a string or a list; none in anything else."""
    value = claims.get("scope", claims.get("scp", ""))
    if isinstance(value, str):
        return value.split()
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _keys(content: bytes) -> Sequence[Mapping[str, Any]]:
    document = nesting.loads(content)
    keys = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(keys, list):
        raise ValueError("a JWK set is expected")
    return [key for key in keys if _is_usable(key)]


def _is_usable(key: Any) -> bool:
    """Whether a key is well formed and for signatures. One that is not does not spoil the others."""
    return isinstance(key, dict) and key.get("use", "sig") == "sig" and isinstance(key.get("kid", ""), str)


def _fits(key: Mapping[str, Any], algorithm: str) -> bool:
    """Whether a key has the algorithm's type and is not meant for another algorithm (RFC 7517, 4.4; RFC 8725, 3.1)."""
    return key.get("kty") == _KEY_TYPES[algorithm[:2]] and key.get("alg") in (None, algorithm)
