/// What became of one request, in the only three ways there are (transport.md section 5.1).
public struct Reply: Sendable {
    public var id: Int64
    public var outcome: Outcome
    /// From the hand-over to a slot to the end.
    public var milliseconds: Int
    /// Seconds since 1970 at which the reply ended, by the transport's wall clock.
    public var receivedAt: Double
    /// What took how long; only with `TransportSettings.measuresTime`, and only of a request that was begun.
    public var timing: Timing?

    public enum Outcome: Sendable {
        /// A final status came, whatever the connection did afterwards.
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

    /// libcurl's own word for what went wrong.
    public struct Fault: Sendable, Equatable {
        /// CURLcode: 6 no such host, 7 refused, 28 timeout, 60 certificate, 56 reset ...
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
