"""Where a server listens: what is refused before anything is loaded for it, the socket, and what to call its address.

Useful for: the start of `omoide serve --http`. Not useful for: who may come in once it listens (guards).
Invariant: without `insecure` only this machine can connect, or bearers of a token. Imports no SDK, so that who gave a wrong address
reads that at once.
"""

from __future__ import annotations

import errno
import logging
import socket
from contextlib import suppress
from urllib.parse import urlsplit

from omoide.config import Secret
from omoide.errors import InvalidArgument, Unavailable, filled, system_refused
from omoide.exchange import address_of, is_here
from omoide.server.http.accepting import BACKLOG

logger = logging.getLogger(__name__)

PATH = "/mcp"
#: A token of this many random letters and digits cannot be found by trying.
FEWEST_CHARS = 16
#: Addresses that mean all of this machine's -> the address at which it reaches itself.
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def refuse_strangers(host: str, public_url: str | None) -> None:
    """Check a server that asks for no token. Raises InvalidArgument if other machines could reach it."""
    if not is_here(host):
        raise InvalidArgument(
            "host",
            f"{host} can be reached from other machines; anyone there could read and write every memory.",
            hint="Use 127.0.0.1, or ask for tokens (OMOIDE_TOKEN), or say --insecure.",
            also=filled(
                {
                    "ja": "{host} にはほかのマシンから接続でき、誰でもすべての記憶を読み書きできます。"
                    "127.0.0.1 を使うか、トークン（OMOIDE_TOKEN）を求めるか、--insecure を付けてください。",
                    "zh": "其他机器可以连接“{host}”，任何人都能读写全部记忆。"
                    "请使用 127.0.0.1，或要求令牌（OMOIDE_TOKEN），或加上 --insecure。",
                },
                host=host,
            ),
        )
    if _leads_elsewhere(public_url):
        raise InvalidArgument(
            "public_url",
            f"{public_url} is reached from other machines; anyone there could read and write every memory.",
            hint="Ask for tokens (OMOIDE_TOKEN, --tokens, --oauth-issuer), or say --insecure where what is in front does.",
            also=filled(
                {
                    "ja": "{url} にはほかのマシンから接続でき、誰でもすべての記憶を読み書きできます。"
                    "トークン（OMOIDE_TOKEN、--tokens、--oauth-issuer）を求めるか、前段のプロキシが認証しているなら --insecure を付けてください。",
                    "zh": "其他机器可以连接“{url}”，任何人都能读写全部记忆。"
                    "请要求令牌（OMOIDE_TOKEN、--tokens、--oauth-issuer）；如果前面的代理已经验证，可加上 --insecure。",
                },
                url=public_url,
            ),
        )


def warn_of_guesses(token: Secret, host: str, public_url: str | None) -> None:
    """Log a warning if other machines could find the token by trying."""
    if len(token) < FEWEST_CHARS and (not is_here(host) or _leads_elsewhere(public_url)):
        logger.warning(
            "OMOIDE_TOKEN has %d characters, which other machines can find by trying; take %d or more: openssl rand -hex 32",
            len(token),
            FEWEST_CHARS,
        )


#: What the system says of an address that this machine does not have, or a name without one, whatever the port.
_NO_ADDRESS_HERE = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, socket.EAI_NONAME, socket.EAI_AGAIN)
_OTHER_HOST = {
    "en": "Choose another with --host.",
    "ja": "--host で別のアドレスを指定してください。",
    "zh": "请用 --host 指定其他地址。",
}
_OTHER_PORT = {
    "en": "Choose another with --port.",
    "ja": "--port で別のポートを指定してください。",
    "zh": "请用 --port 指定其他端口。",
}


def listen(host: str, port: int) -> socket.socket:
    """A socket that clients can already connect to; port 0 takes any free one. `::` includes all IPv4 addresses. Raises
    Unavailable (the port is taken, for example)."""
    address = canonical(host)
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    both = address == "::" and socket.has_dualstack_ipv6()
    try:
        return socket.create_server((address, port), family=family, backlog=BACKLOG, dualstack_ipv6=both)
    except OSError as error:
        raise _cannot_listen(host, port, error) from error


def _cannot_listen(host: str, port: int, error: OSError) -> Unavailable:
    reason = (error.strerror or str(error)).partition(" (while ")[0]  # Python appends the address
    other = _OTHER_HOST if error.errno in _NO_ADDRESS_HERE else _OTHER_PORT
    also = filled(
        {
            "ja": "{host} のポート {port} で待ち受けられません：{reason}{other}",
            "zh": "无法监听“{host}”的端口 {port}：{reason}{other}",
        },
        host=host,
        port=port,
        reason=system_refused(OSError(error.errno, reason)),
        other=other,
    )
    return Unavailable(f"Cannot listen on {host} port {port}: {reason}.", hint=other["en"], also=also)


def _leads_elsewhere(public_url: str | None) -> bool:
    """Whether other machines can reach that URL."""
    return public_url is not None and not is_here(urlsplit(public_url).hostname or "")


def url_of(listening: socket.socket) -> str:
    """The URL for clients; if the server listens on all addresses, for clients on this machine."""
    host, port = listening.getsockname()[:2]
    host = EVERYWHERE.get(host, host)
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"


def said_to_others(listening: socket.socket) -> str:
    """What to print after that URL if other machines need another one; else ""."""
    here = EVERYWHERE.get(listening.getsockname()[0])
    return "" if here is None else f"; other machines write this one's name or address in place of {here}"


def canonical(host: str) -> str:
    """An address, of which there are several spellings for IPv6, in the usual one; a name as it is."""
    with suppress(ValueError):
        return str(address_of(host))
    return host
