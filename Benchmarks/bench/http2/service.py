"""The service that a side of `product` posts to over HTTP/2: h2_sink, and beside it the plain sink for FCM's access tokens,
which are asked for over HTTP/1.1."""
from __future__ import annotations

from pathlib import Path

from bench.bench import Bench
from bench.http2.servers import H2Sink
from bench.sink import Taken


class HTTP2Service:
    """As `Sink`: on free ports of 127.0.0.1 until `stop`."""

    def __init__(self, bench: Bench, latency_ms: int) -> None:
        program, tls = bench.program("h2_sink"), bench.certificates.tls()
        self._tokens = bench.sink()
        try:
            self._server = H2Sink(program, tls, "--any-id", "--latency-ms", str(latency_ms))
        except BaseException:
            self._tokens.close()
            raise

    @property
    def endpoint(self) -> str:
        return self._server.endpoint

    @property
    def ca(self) -> Path:
        return self._server.ca

    @property
    def tokens(self) -> str:
        return self._tokens.endpoint

    def stop(self) -> Taken:
        """What both have taken. What was not a token and came over HTTP/1.1, or got no answer over HTTP/2, counts as refused."""
        pushed, asked = self._server.stop(), self._tokens.stop()
        strange = asked.requests + asked.puts + asked.refused + pushed.requests - pushed.answered
        return Taken(pushed.requests, pushed.bodies, pushed.connections, pushed.refused + strange, pushed.cpu + asked.cpu,
                     tokens=asked.tokens)

    def close(self) -> None:
        self._server.close()
        self._tokens.close()
