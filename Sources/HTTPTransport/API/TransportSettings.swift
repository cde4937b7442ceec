/// How one `HTTPClient` behaves. Read once, when it starts.
public struct TransportSettings: Sendable {
    /// Requests on the wire at once, over all hosts; further ones wait in our own queue. 1 to 8192. Each may need two
    /// file descriptors and, in flight, about 17 kB in plain text or 63 kB with TLS.
    public var slots = 512
    /// For name lookup, connection and TLS handshake together. 1 ms to 10 min.
    public var connectTimeout: Duration = .seconds(5)
    /// For the whole request, from getting a slot to the last byte. 1 ms to 10 min.
    public var timeout: Duration = .seconds(30)
    /// A request that moves less than one byte per second for this long is abandoned. Whole seconds, 1 s to 10 min.
    public var stallTimeout: Duration = .seconds(15)
    /// A connection idle for longer is not used again; keep this below the gateway's own limit. Whole seconds, 1 s to
    /// 1 h.
    public var idleLimit: Duration = .seconds(50)
    /// A connection older than this is not used again, so that new addresses and certificates are noticed. Whole
    /// seconds, 1 s to 1 day.
    public var connectionLifetime: Duration = .seconds(600)
    /// Connections begun in one turn of the loop, 1 to 1000. A TLS handshake costs about 0.7 ms on the loop thread, and
    /// all requests wait for that.
    public var newConnectionsPerTurn = 8
    /// Allows `http://` to 127.0.0.0/8, ::1 and localhost. To any other host it is refused.
    public var allowPlainHTTPOnLoopback = true
    /// Allows `http://` to any host: only for a client whose requests carry no secret.
    public var allowPlainHTTPAnywhere = false
    /// File of trusted certificates in PEM form. nil: the bundle libcurl was built with.
    public var caBundle: String?
    /// Proxy for everything but loopback, such as `http://proxy.example:3128`. nil: no proxy. Proxies in the
    /// environment are never used: they would get the token.
    public var proxy: String?
    /// nil: no `User-Agent` header.
    public var userAgent: String? = "fanfare"

    /// Bytes of an answer's body that are kept; the rest is dropped. 1 kB to 1 GB.
    public var keptBody = ReplyBuffer.bodyLimit

    /// Whether each reply has a `timing`. Costs six calls of libcurl for each request.
    public var measuresTime = false

    /// How HTTP/2 is spoken; nil: HTTP/1.1 is. With it a request's time is the smaller one of `timeout` and `stallTimeout`, and
    /// `idleLimit` and `connectionLifetime` have no effect.
    public var http2: HTTP2Settings?

    /// False only in the test that shows what libcurl does without it.
    var refusesSilentResend = true
    /// False only in the test that shows what a certificate directory costs.
    var clearsCAPath = true

    public init() {}

    /// All problems, each naming its setting; empty when the settings are right.
    public var problems: [String] {
        var found: [String] = []
        func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) {
            guard !range.contains(value) else { return }
            found.append("\(name) is \(value), allowed are \(range.lowerBound) to \(range.upperBound)")
        }
        func check(_ name: String, _ value: Duration, from low: Duration, to high: Duration) {
            guard value < low || value > high else { return }
            found.append("\(name) is \(value), allowed are \(low) to \(high)")
        }
        check("slots", slots, 1...8192)
        check("connectTimeout", connectTimeout, from: .milliseconds(1), to: .seconds(600))
        check("timeout", timeout, from: .milliseconds(1), to: .seconds(600))
        check("stallTimeout", stallTimeout, from: .seconds(1), to: .seconds(600))
        check("idleLimit", idleLimit, from: .seconds(1), to: .seconds(3600))
        check("connectionLifetime", connectionLifetime, from: .seconds(1), to: .seconds(86400))
        check("newConnectionsPerTurn", newConnectionsPerTurn, 1...1000)
        check("keptBody", keptBody, 1_024...1_073_741_824)
        found += http2?.problems ?? []
        if http2 != nil, proxy?.lowercased().hasPrefix("https:") == true {
            found.append("proxy is https: HTTP/2 goes through http proxies alone")
        }
        // The text does not quote the proxy: it may hold a password.
        if let proxy, proxy.isEmpty || !proxy.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
            found.append("proxy is empty or has characters that a URL cannot have")
        }
        if let userAgent, !userAgent.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
            found.append("userAgent has characters other than visible ASCII and space")
        }
        if let caBundle, caBundle.isEmpty || caBundle.utf8.contains(0) {
            found.append("caBundle is not a file name")
        }
        return found
    }

    /// Why every request to this URL would be refused, before anything leaves; nil: it would not. Never quotes the URL.
    public func refusal(of url: String) -> String? {
        do throws(Reply.Fault) {
            _ = try KnownURLs(self).target(for: url)
            return nil
        } catch {
            return error.text
        }
    }

    /// Nanoseconds that a request over HTTP/2 has.
    var requestTime: UInt64 { min(timeout, stallTimeout).nanoseconds }

    /// Connections kept, used or idle. With fewer than twice the slots, every other request would open a new one.
    var connectionLimit: Int { 2 * slots }
}

extension Duration {
    /// Whole milliseconds, rounded up.
    var milliseconds: Int {
        Int(components.seconds) * 1000 + Int((components.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
