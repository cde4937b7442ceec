import PushModel

/// Spans in the JSON of OTLP/HTTP: `ExportTraceServiceRequest` of opentelemetry-proto 1.x. Names in camelCase, ids in hex,
/// 64-bit numbers as texts, enumerations as numbers (its specification, "JSON Protobuf Encoding"). Pure.
public struct OTLPDocument {
    private var bytes: [UInt8] = []

    /// - Parameters:
    ///   - service: `service.name`.
    ///   - version: ours.
    ///   - instance: `service.instance.id`: identifies this process.
    public static func bytes(_ spans: [Span], service: String, version: String, instance: String) -> [UInt8] {
        var document = OTLPDocument()
        document.add(#"{"resourceSpans":[{"resource":{"attributes":"#)
        document.write([
            Span.Attribute("service.name", service), Span.Attribute("service.version", version),
            Span.Attribute("service.instance.id", instance),
        ])
        document.add(#"},"scopeSpans":[{"scope":{"name":"fanfare","version":"#)
        document.quote(version)
        document.add(#"},"spans":"#)
        document.list(spans) { $0.write($1) }
        document.add("}]}]}")
        return document.bytes
    }

    private mutating func write(_ span: Span) {
        add(#"{"traceId":"\#(span.context.traceID)","spanId":"\#(span.context.spanID)","name":"#)
        quote(span.name)
        if let parent = span.parent { add(#","parentSpanId":"\#(parent.spanID)""#) }
        // 3: SPAN_KIND_CLIENT
        add(#","kind":3,"startTimeUnixNano":"\#(span.began)","endTimeUnixNano":"\#(span.ended)","attributes":"#)
        write(span.attributes)
        if !span.links.isEmpty {
            add(#","links":"#)
            list(span.links) { $0.add(#"{"traceId":"\#($1.traceID)","spanId":"\#($1.spanID)"}"#) }
        }
        if let fault = span.fault {
            add(#","status":{"code":2,"message":"#)  // 2: STATUS_CODE_ERROR
            quote(fault)
            add("}")
        }
        add("}")
    }

    private mutating func write(_ attributes: [Span.Attribute]) {
        list(attributes) { document, attribute in
            document.add(#"{"key":"#)
            document.quote(attribute.name)
            switch attribute.value {
            case .text(let text):
                document.add(#","value":{"stringValue":"#)
                document.quote(text)
                document.add("}}")
            case .number(let number): document.add(#","value":{"intValue":"\#(number)"}}"#)
            }
        }
    }

    private mutating func list<T>(_ items: [T], _ write: (inout OTLPDocument, T) -> Void) {
        add("[")
        for (place, item) in items.enumerated() {
            if place > 0 { add(",") }
            write(&self, item)
        }
        add("]")
    }

    private mutating func quote(_ text: String) { LogEscaping.appendQuoted(text, to: &bytes) }

    private mutating func add(_ text: String) { bytes += text.utf8 }
}
