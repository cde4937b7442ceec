import Foundation
import HTTPTransport
import PushModel
import Testing
import VectorSupport

@testable import Providers

/// requests.json: the request for each operation, and the operations that are refused.
@Suite struct RequestVectorTests {
    struct File: Decodable {
        struct Case: Decodable {
            struct Input: Decodable {
                let op: String
                let format: String?
                let tag: String?
                let broadcast: Bool?
                let deviceHandle: String?
                let deviceHandles: [String]?
                let properties: [String: String]?
                let rawBody: String?

                var target: Target? {
                    if broadcast == true { return .broadcast }
                    if let handles = deviceHandles ?? deviceHandle.map({ [$0] }) { return .handles(handles) }
                    return tag.map { .tag($0) }
                }
                let headers: [String: String]?
            }
            struct Expectation: Decodable {
                let method: String
                let url: String
                let headers: [String: String]
                let absentHeaders: [String]
                let success: [Int]
            }
            let id: String
            let input: Input
            let expect: Expectation
        }
        let cases: [Case]
    }

    /// Operations other than posts; `Installations` has most of them.
    private let others: Set = [
        "feedback", "put_installation", "patch_installation", "delete_installation", "get_installation",
    ]

    @Test func everySendOfTheVectorsIsBuiltAsWritten() throws {
        let hub = try TestHub.hub()
        let pass = TestHub.pass()
        var checked = 0
        let bodies = try bodies()
        for vector in try Vectors.read("requests", as: File.self).cases where !others.contains(vector.input.op) {
            let input = vector.input
            let body = try input.properties.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
            let post = TestHub.post(
                // The vector's raw post has no tag, and would be a broadcast.
                to: input.target ?? .tag("World"), format: try #require(input.format),
                headers: (input.headers ?? [:]).map { ($0, $1) },
                body: try #require(body ?? input.rawBody ?? bodies[vector.id]))
            let request =
                try input.op == "test_send"
                ? hub.testRequest(for: post, id: 7, with: pass) : hub.request(for: post, id: 7, with: pass)
            let lines = try TestHub.lines(hub, post, pass)

            #expect(request.method.rawValue == vector.expect.method, "\(vector.id)")
            #expect(request.url == vector.expect.url, "\(vector.id)")
            #expect(request.id == 7)
            if input.deviceHandles == nil { #expect(request.body == post.body, "\(vector.id)") }
            for (name, value) in vector.expect.headers {
                let value = value.replacingOccurrences(of: "<boundary>", with: DirectBatch.usualBoundary)
                let sent = lines.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
                #expect(sent == [name == "Authorization" ? pass.header?.reveal() ?? "" : value], "\(vector.id) \(name)")
            }
            for name in vector.expect.absentHeaders {
                #expect(!lines.contains { $0.name.lowercased() == name.lowercased() }, "\(vector.id) \(name)")
            }
            for status in vector.expect.success {
                #expect(hub.answer(to: TestHub.reply(status)).verdict == .accepted, "\(vector.id) \(status)")
            }
            checked += 1
        }
        #expect(checked == 8)
    }

    /// The payloads of the vectors as JSON text, by id.
    private func bodies() throws -> [String: String] {
        var bodies: [String: String] = [:]
        for vector in try Vectors.objects("requests", "cases") {
            guard let id = vector["id"] as? String, let body = (vector["input"] as? [String: Any])?["body"] else {
                continue
            }
            bodies[id] = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
        }
        return bodies
    }

    @Test func whatMustBeRejectedIsNeverSent() throws {
        struct File: Decodable {
            struct Case: Decodable {
                struct Input: Decodable {
                    let tag: String?
                    let bodyBytes: Int?
                    let handles: Int?
                }
                let id: String
                let input: Input
            }
            let mustRejectBeforeSending: [Case]
        }
        let hub = try TestHub.hub()
        var checked = 0
        for vector in try Vectors.read("requests", as: File.self).mustRejectBeforeSending {
            let post: Post
            if let tag = vector.input.tag {
                post = TestHub.post(to: .tag(tag))
            } else if let bytes = vector.input.bodyBytes {
                post = TestHub.post(body: String(repeating: "x", count: bytes))
            } else if let count = vector.input.handles {
                post = TestHub.post(to: .handles((1...count).map { "h\($0)" }), format: "apple")
            } else {
                continue  // the hub's own scheduling, which we do not use
            }
            #expect(throws: InvalidPost.self, "\(vector.id)") {
                try hub.request(for: post, id: 1, with: TestHub.pass())
            }
            checked += 1
        }
        #expect(checked == 4)
    }

    @Test func everyFormatHasTheContentTypeOfTheVectors() throws {
        struct File: Decodable {
            struct Format: Decodable {
                let format: String
                let contentType: String
            }
            let formats: [Format]
        }
        let formats = try Vectors.read("content_types", as: File.self).formats
        #expect(formats.count == 8)
        let hub = try TestHub.hub()
        for expected in formats {
            let lines = try TestHub.lines(hub, TestHub.post(format: expected.format), TestHub.pass())
            #expect(lines.contains(try HeaderLine("Content-Type", expected.contentType)), "\(expected.format)")
            #expect(lines.contains(try HeaderLine("ServiceBusNotification-Format", expected.format)))
        }
    }

    @Test func theServiceParsesEveryContentType() throws {
        struct File: Decodable {
            struct Parse: Decodable {
                let valid: [String]
                let invalid: [String]
            }
            let dotnetParse: Parse
        }
        let parse = try Vectors.read("content_types", as: File.self).dotnetParse
        // The .NET table lacks only one of ours: its JSON form for XML.
        let valid = Set(parse.valid + ["application/xml;charset=utf-8"])
        for format in NotificationFormat.allCases {
            for type in [format.contentType(raw: false), format.contentType(raw: true)] {
                #expect(valid.contains(type) && !parse.invalid.contains(type), "\(format) \(type)")
            }
        }
    }
}
