import PushModel

/// What a collector says about a request that it took: `ExportTraceServiceResponse` in JSON. Pure.
public enum OTLPAnswer {
    /// Spans that it rejected although it answered 200 (`partialSuccess.rejectedSpans`). 0 also for a body that is no such
    /// document: then the status counts alone.
    public static func rejectedSpans(in body: [UInt8]) -> Int {
        // The loss is meant: collectors answer all kinds of texts.
        guard let root = try? JSONNode(body, depthLimit: 8), let partial = root["partialSuccess"] else { return 0 }
        return switch partial["rejectedSpans"]?.value {
        case .string(let digits), .number(let digits): max(0, Int(digits) ?? 0)
        default: 0
        }
    }
}

extension JSONNode {
    fileprivate subscript(name: String) -> JSONNode? {
        guard case .object(let members) = value else { return nil }
        return members.last { $0.name == name }?.node
    }
}
