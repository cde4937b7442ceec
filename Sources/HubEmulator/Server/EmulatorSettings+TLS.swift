extension EmulatorSettings {
    /// TLS beside plain HTTP, on a port of its own, with a certificate made at the start (`TestCertificate`).
    public struct TLS: Sendable, Equatable {
        /// 0: a free port, chosen at the start.
        public var port: Int
        /// Host names and addresses clients use besides `localhost`, `127.0.0.1` and `::1`.
        public var names: [String]
        /// Where the certificate of the authority is written for clients to trust, readable by all; nil: nowhere. An
        /// older one is replaced. The keys are never written.
        public var caFile: String?

        public init(port: Int = 0, names: [String] = [], caFile: String? = nil) {
            self.port = port
            self.names = names
            self.caFile = caFile
        }
    }
}
