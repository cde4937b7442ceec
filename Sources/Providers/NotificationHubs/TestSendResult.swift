/// The result of a test send, device by device: the hub's `NotificationOutcome` document
/// (docs/wire/notification-hubs.md, "Sends"). Each text is one line, safe for a terminal.
public struct TestSendResult: Sendable, Equatable, Codable {
    /// Devices whose platform accepted the notification.
    public var success: Int
    /// Devices whose platform refused it.
    public var failure: Int
    /// The service sends at most 10; we read at most `resultLimit`.
    public var results: [Result]

    public struct Result: Sendable, Equatable, Codable {
        /// `apple`, `fcmv1`, ...; empty when the hub gave none, as all of these.
        public var platform: String
        /// The device's handle: personal data, like an address.
        public var handle: String
        public var registration: String
        /// The service's own words.
        public var outcome: String

        public init(platform: String, handle: String, registration: String, outcome: String) {
            self.platform = platform
            self.handle = handle
            self.registration = registration
            self.outcome = outcome
        }
    }

    /// Most results read: a hundred times what the service sends.
    public static let resultLimit = 1000

    public init(success: Int, failure: Int, results: [Result]) {
        self.success = success
        self.failure = failure
        self.results = results
    }

    /// Reads the body of the answer. Lenient: reads a truncated document as far as it goes, and ignores unknown
    /// elements. nil: not an outcome, or one without counts.
    public init?(body: [UInt8]) {
        let document = body[...]
        guard let start = document.first("<NotificationOutcome") else { return nil }
        let outcome = document[start.upperBound...]
        // The counts stand before the results, which have elements of the same names.
        let results = outcome.first("<Results").map { outcome[$0.upperBound...] }
        let head = outcome[..<(results?.startIndex ?? outcome.endIndex)]
        guard let success = Self.count("<Success", in: head), let failure = Self.count("<Failure", in: head) else {
            return nil
        }
        self.init(success: success, failure: failure, results: results.map(Self.results) ?? [])
    }

    private static func count(_ tag: StaticString, in document: ArraySlice<UInt8>) -> Int? {
        Int(document.element(tag).filter { !$0.isWhitespace })
    }

    private static func results(in document: ArraySlice<UInt8>) -> [Result] {
        var results: [Result] = []
        var rest = document
        while results.count < resultLimit, let start = rest.first("<RegistrationResult") {
            var one = rest[start.upperBound...]
            if let end = one.first("</RegistrationResult") {
                rest = one[end.upperBound...]
                one = one[..<end.lowerBound]
            } else {
                rest = []
            }
            results.append(
                Result(
                    platform: text("<ApplicationPlatform", in: one), handle: text("<PnsHandle", in: one, limit: 4096),
                    registration: text("<RegistrationId", in: one), outcome: text("<Outcome", in: one)))
        }
        return results
    }

    private static func text(_ tag: StaticString, in document: ArraySlice<UInt8>, limit: Int = 500) -> String {
        document.element(tag).sanitised(limit: limit)
    }
}
