import HTTPTransport
import PushModel

extension Request {
    /// Lets the hub, and what is between it and us, see which trace the request belongs to.
    public mutating func carry(_ trace: TraceParent) {
        // Never refused: it has nothing but hex digits and dashes.
        if let line = try? HeaderLine("traceparent", trace.description) { headers.append(line) }
    }
}
