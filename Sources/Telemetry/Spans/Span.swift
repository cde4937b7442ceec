public import PushModel

/// One step of a worker, from its beginning to its end, as OpenTelemetry has it. Each asks another machine, so its kind is
/// CLIENT.
public struct Span: Sendable {
    public struct Attribute: Sendable, Equatable {
        public enum Value: Sendable, Equatable {
            case text(String)
            case number(Int64)
        }

        let name: String
        let value: Value

        public init(_ name: String, _ text: String) { (self.name, value) = (name, .text(text)) }
        public init(_ name: String, _ number: some BinaryInteger) {
            (self.name, value) = (name, .number(Int64(number)))
        }
    }

    let name: String
    /// The trace that it is in, and its own id.
    let context: TraceParent
    /// nil: it begins its trace.
    let parent: TraceParent?
    /// Contexts of other spans that it has to do with.
    let links: [TraceParent]
    /// Nanoseconds since 1970.
    let began: UInt64
    let ended: UInt64
    let attributes: [Attribute]
    /// Why it failed, in a word; nil: it did not.
    let fault: String?

    /// - Parameters:
    ///   - seconds: how long it took.
    ///   - ended: seconds since 1970. A clock that is set before that counts as 1970.
    public init(
        _ name: String, _ context: TraceParent, parent: TraceParent? = nil, links: [TraceParent] = [], seconds: Double,
        ended: Double, _ attributes: [Attribute], fault: String? = nil
    ) {
        self.name = name
        self.context = context
        self.parent = parent
        self.links = links
        began = Self.nanoseconds(ended - max(0, seconds))
        self.ended = Self.nanoseconds(ended)
        self.attributes = attributes
        self.fault = fault
    }

    /// To the microsecond: a `Double` of today is no more exact.
    private static func nanoseconds(_ seconds: Double) -> UInt64 { UInt64(max(0, seconds) * 1e6) * 1_000 }
}
