import Foundation
import PushModel
import Testing

@testable import Telemetry

/// What a collector is sent. A worker's spans are also read by the library of OpenTelemetry (`SpanTests` of the program).
@Suite struct OTLPDocumentTests {
    private static let backend = TraceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")

    private static func spans(_ spans: Span...) throws -> [[String: Any]] {
        let bytes = OTLPDocument.bytes(spans, service: "push \"eu\"", version: "1.0", instance: "host/7")
        let document = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        let resource = try #require((document["resourceSpans"] as? [[String: Any]])?.first)
        let attributes = try #require((resource["resource"] as? [String: Any])?["attributes"] as? [[String: Any]])
        #expect(
            attributes.map { $0["key"] as? String } == ["service.name", "service.version", "service.instance.id"])
        #expect(
            attributes.compactMap { ($0["value"] as? [String: String])?["stringValue"] } == [
                "push \"eu\"", "1.0", "host/7",
            ])
        let scope = try #require((resource["scopeSpans"] as? [[String: Any]])?.first)
        #expect((scope["scope"] as? [String: String]) == ["name": "fanfare", "version": "1.0"])
        return try #require(scope["spans"] as? [[String: Any]])
    }

    @Test func idsAreHexAndTimesAreTexts() throws {
        let context = TraceParent(trace: (0xAB, 7), span: 0x1F)
        let spans = try Self.spans(
            Span("claim", context, seconds: 0.25, ended: 1_700_000_000.5, [Span.Attribute("fanfare.messages", 3)]))
        let span = try #require(spans.first)
        #expect(spans.count == 1 && span["name"] as? String == "claim" && span["kind"] as? Int == 3)
        #expect(span["traceId"] as? String == "00000000000000ab0000000000000007")
        #expect(span["spanId"] as? String == "000000000000001f")
        #expect(span["startTimeUnixNano"] as? String == "1700000000250000000")
        #expect(span["endTimeUnixNano"] as? String == "1700000000500000000")
        let attributes = try #require(span["attributes"] as? [NSDictionary])
        #expect(attributes == [["key": "fanfare.messages", "value": ["intValue": "3"]]])
        for absent in ["parentSpanId", "links", "status"] { #expect(span[absent] == nil, "\(absent)") }
    }

    @Test func aFailedSpanHasItsStatusAndOthersItsParentAndLinks() throws {
        let backend = try #require(Self.backend)
        let claim = TraceParent(trace: (1, 2), span: 3)
        let spans = try Self.spans(
            Span(
                "post", backend.child(5), parent: backend, links: [claim], seconds: 1, ended: 2,
                [Span.Attribute("fanfare.hub", "ne\"w\\s\n")], fault: "rejected"),
            Span("complete", claim, seconds: 1, ended: 2, []))
        #expect(spans.count == 2)
        let post = try #require(spans.first)
        #expect(post["traceId"] as? String == "0af7651916cd43dd8448eb211c80319c")
        #expect(
            post["parentSpanId"] as? String == "b7ad6b7169203331" && post["spanId"] as? String == "0000000000000005")
        #expect(
            post["links"] as? [[String: String]] == [
                ["traceId": "00000000000000010000000000000002", "spanId": "0000000000000003"]
            ])
        #expect(post["status"] as? NSDictionary == ["code": 2, "message": "rejected"])
        let attributes = try #require(post["attributes"] as? [NSDictionary])
        #expect(attributes == [["key": "fanfare.hub", "value": ["stringValue": "ne\"w\\s\n"]]])
        #expect((spans.last?["attributes"] as? [Any])?.isEmpty == true)
    }

    @Test func clocksThatWereSetBackGiveNoNegativeTimes() {
        let context = TraceParent(trace: (1, 2), span: 3)
        let early = Span("claim", context, seconds: 10, ended: -5, [])
        #expect(early.began == 0 && early.ended == 0)
        let backwards = Span("claim", context, seconds: -10, ended: 5, [])
        #expect(backwards.began == 5_000_000_000 && backwards.ended == 5_000_000_000)
    }
}
