import Foundation
import HTTPTransport
import PushModel
import Testing

@testable import Providers

/// requests.json: what leaves for each operation, and what must not.
@Suite struct RequestVectorTests {
    struct File: Decodable {
        struct Case: Decodable {
            struct Input: Decodable {
                let op: String
                let format: String?
                let tag: String?
                let broadcast: Bool?
                let properties: [String: String]?
                let rawBody: String?
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

    /// Operations that are not posts to a tag. Nothing in the dispatcher does them yet.
    private let others: Set = [
        "direct", "batch_direct", "feedback", "put_installation", "patch_installation", "delete_installation",
        "get_installation",
    ]

    @Test func everySendOfTheVectorsLeavesAsWritten() throws {
        let hub = try TestHub.hub()
        let token = TestHub.token()
        var checked = 0
        for vector in try vectors("requests", as: File.self).cases where !others.contains(vector.input.op) {
            let input = vector.input
            let target = input.broadcast == true ? Target.broadcast : .tag(try #require(input.tag))
            let body = try input.properties.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
            let post = TestHub.post(
                to: target, format: try #require(input.format), headers: (input.headers ?? [:]).map { ($0, $1) },
                body: body ?? input.rawBody ?? "{}")
            let request =
                try input.op == "test_send"
                ? hub.testRequest(for: post, id: 7, signedBy: token) : hub.request(for: post, id: 7, signedBy: token)
            let lines = try TestHub.lines(hub, post, token)

            #expect(request.method.rawValue == vector.expect.method, "\(vector.id)")
            #expect(request.url == vector.expect.url, "\(vector.id)")
            #expect(request.id == 7 && request.body == post.body, "\(vector.id)")
            for (name, value) in vector.expect.headers {
                let sent = lines.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
                #expect(sent == [name == "Authorization" ? token.header.reveal() : value], "\(vector.id) \(name)")
            }
            for name in vector.expect.absentHeaders {
                #expect(!lines.contains { $0.name.lowercased() == name.lowercased() }, "\(vector.id) \(name)")
            }
            for status in vector.expect.success {
                #expect(hub.answer(to: TestHub.reply(status)).verdict == .accepted, "\(vector.id) \(status)")
            }
            checked += 1
        }
        #expect(checked == 6)
    }

    @Test func whatMustBeRejectedNeverLeaves() throws {
        struct File: Decodable {
            struct Case: Decodable {
                struct Input: Decodable {
                    let tag: String?
                    let bodyBytes: Int?
                }
                let id: String
                let input: Input
            }
            let mustRejectBeforeSending: [Case]
        }
        let hub = try TestHub.hub()
        var checked = 0
        for vector in try vectors("requests", as: File.self).mustRejectBeforeSending {
            let post: Post
            if let tag = vector.input.tag {
                post = TestHub.post(to: .tag(tag))
            } else if let bytes = vector.input.bodyBytes {
                post = TestHub.post(body: String(repeating: "x", count: bytes))
            } else {
                continue  // device handles and the hub's own schedule: operations we do not use
            }
            #expect(throws: InvalidPost.self, "\(vector.id)") {
                try hub.request(for: post, id: 1, signedBy: TestHub.token())
            }
            checked += 1
        }
        #expect(checked == 3)
    }

    @Test func everyFormatHasTheContentTypeOfTheVectors() throws {
        struct File: Decodable {
            struct Format: Decodable {
                let format: String
                let contentType: String
            }
            let formats: [Format]
        }
        let formats = try vectors("content_types", as: File.self).formats
        #expect(formats.count == 8)
        let hub = try TestHub.hub()
        for expected in formats {
            let lines = try TestHub.lines(hub, TestHub.post(format: expected.format), TestHub.token())
            #expect(lines.contains(try HeaderLine("Content-Type", expected.contentType)), "\(expected.format)")
            #expect(lines.contains(try HeaderLine("ServiceBusNotification-Format", expected.format)))
        }
    }

    @Test func everyContentTypeIsOneTheServiceParses() throws {
        struct File: Decodable {
            struct Parse: Decodable {
                let valid: [String]
                let invalid: [String]
            }
            let dotnetParse: Parse
        }
        let parse = try vectors("content_types", as: File.self).dotnetParse
        // The one form of ours the .NET table does not spell out is its JSON form for XML.
        let valid = Set(parse.valid + ["application/xml;charset=utf-8"])
        for format in NotificationFormat.allCases {
            for type in [format.contentType(raw: false), format.contentType(raw: true)] {
                #expect(valid.contains(type) && !parse.invalid.contains(type), "\(format) \(type)")
            }
        }
    }
}
