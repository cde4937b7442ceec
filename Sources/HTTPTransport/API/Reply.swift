/// What became of one request (docs/wire/libcurl.md, "What became of a request").
public struct Reply: Sendable {
    public var id: Int64
    public var outcome: Outcome
    /// From the moment the request got a slot.
    public var milliseconds: Int
    /// When the reply ended, in seconds since 1970 by the transport's wall clock.
    public var receivedAt: Double
    /// How long each step took; nil without `TransportSettings.measuresTime`, and for a request that was never begun.
    public var timing: Timing?
    /// What was sent, for an answer that is no 2xx: its text may quote that. Nil for all others.
    public var sent: Sent?

    /// The part of a request that comes from its caller.
    public struct Sent: Sendable, Equatable {
        /// Values of `Request.headers`.
        public var headers: [String]
        public var body: [UInt8]

        public init(headers: [String] = [], body: [UInt8] = []) {
            self.headers = headers
            self.body = body
        }
    }

    public enum Outcome: Sendable {
        /// A final status came, even if the connection broke afterwards.
        case answered(Response)
        /// Certainly nothing left this machine: safe to send again.
        case notSent(Fault)
        /// Something may have left, and no status came.
        case unknown(Fault)
    }

    public struct Response: Sendable {
        public var status: Int
        /// Names lower-cased, in the order received, at most 64.
        public var headers: [(name: String, value: String)]
        /// At most `TransportSettings.keptBody`, 64 kB unless set; the rest is dropped.
        public var body: [UInt8]

        /// The first value of a header; `name` in lower case.
        public subscript(name: String) -> String? { headers.first { $0.name == name }?.value }

        public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }

    /// What went wrong, by libcurl's number.
    public struct Fault: Sendable, Equatable {
        /// CURLcode: 6 no such host, 7 refused, 28 timeout, 56 reset, 60 certificate and so on.
        public var code: Int32
        /// One line for operators; never holds a header or a body.
        public var text: String

        public init(code: Int32, text: String) {
            self.code = code
            self.text = text
        }
    }

    public init(id: Int64, outcome: Outcome, milliseconds: Int = 0, receivedAt: Double = 0) {
        self.id = id
        self.outcome = outcome
        self.milliseconds = milliseconds
        self.receivedAt = receivedAt
    }
}
