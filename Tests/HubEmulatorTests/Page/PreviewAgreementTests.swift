import Foundation
import PushModel
import Testing
import VectorSupport

@testable import HubEmulator

/// What a preview says a phone shows is what the phone of the emulator shows.
@Suite struct PreviewAgreementTests {
    private static func content(_ texts: [String: [String: String]]) throws -> RunContent {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return RunContent(
            id: 1, format: "template",
            texts: try texts.mapValues { String(decoding: try encoder.encode($0), as: UTF8.self) })
    }

    /// Sends the body that the planner makes and compares each phone with its preview.
    private func compare(
        _ content: RunContent, _ hub: HubSettings, _ templates: [PreviewTemplate], _ fixture: EmulatorFixture,
        _ number: Int, _ note: String
    ) async throws {
        // Devices of an earlier case do not match.
        let tag = "case-\(number)"
        let previews = Previews(of: content, at: hub, templates: templates)
        let message = Message(
            id: 1, target: .tag(tag), content: "{}", expiresAt: .infinity, stream: content.id)
        let plan = Plan([message], for: hub, now: 0, runContents: [content.id: content])
        guard let post = plan.posts.first else {
            #expect(previews.all.isEmpty && previews.refused.count == 1, "\(note)")
            return
        }
        for (number, template) in templates.enumerated() {
            var device = Installation(
                "\(tag)-\(number)", platform: template.platform, tags: [tag], templates: [template.name: template.body])
            device.templates?[template.name]?.headers = template.headers.isEmpty ? nil : template.headers
            try fixture.emulator.register(device, at: "news")
        }
        let reply = try await fixture.exchange(fixture.send(to: tag, String(decoding: post.body, as: UTF8.self)))
        #expect(reply.status == 201, "\(note): \(reply.body)")
        for (number, template) in templates.enumerated() {
            let own = previews.all.filter { $0.source == .template(template.name) }
            let push = try fixture.emulator.inbox(of: "\(tag)-\(number)", at: "news").last
            // A template of several languages has a preview for each.
            guard let preview = own.first, Set(own.map(\.payload)).count == 1 else {
                Issue.record("\(note): \(template) has the previews \(own)")
                continue
            }
            if preview.isTooLarge {
                #expect(push == nil, "\(note)")
                continue
            }
            let got = try #require(push, "\(note)")
            #expect(got.payload == preview.payload && got.headers ?? [:] == preview.headers, "\(note)")
            #expect(got.missing ?? [] == preview.missing, "\(note)")
            #expect(
                NotificationPreview(got.payload, platform: template.platform) == preview.shown, "\(note)")
        }
    }

    @Test func theVectorsOfTemplatesAreShownAsPreviewed() async throws {
        struct File: Decodable {
            struct Document: Decodable {
                var id: String
                var template: String
                var properties: [String: String]
            }
            struct Expression: Decodable {
                var id: String
                var expression: String
                var properties: [String: String]
            }
            var documents: [Document]
            var expressions: [Expression]
        }
        let file: File = try Vectors.read("templates", areKeysNames: false)
        let cases =
            file.documents.map { ($0.id, $0.template, $0.properties) }
            + (try file.expressions.map { vector in
                let text = String(decoding: try JSONEncoder().encode(vector.expression), as: UTF8.self)
                return (vector.id, #"{"aps":{"alert":\#(text),"badge":1}}"#, vector.properties)
            })
        #expect(cases.count > 20)
        try await EmulatorFixture.run { fixture in
            for (number, (id, body, properties)) in cases.enumerated() {
                let template = PreviewTemplate(.apns, "t", body)
                try await compare(
                    try Self.content(["": properties]), HubSettings(name: "news"), [template], fixture, number, id)
            }
        }
    }

    @Test func fiveHundredRandomContentsAreShownAsPreviewed() async throws {
        var hub = HubSettings(name: "news")
        hub.languages = ["en": "English", "fr": "French", "ar": "Arabic"]
        hub.fallback = "en"
        var random = SeededRandom(seed: 40)
        try await EmulatorFixture.run { fixture in
            for round in 0..<500 {
                var random = SeededRandom(seed: random.next())
                hub.plainFallback = Bool.random(using: &random)
                try await compare(
                    try Self.content(Self.texts(&random)), hub, Self.templates(&random), fixture, round,
                    "round \(round)")
            }
        }
    }

    private static func texts(_ random: inout SeededRandom) -> [String: [String: String]] {
        var texts: [String: [String: String]] = [:]
        for locale in ["en", "fr", "ar", ""] where Int.random(in: 0..<4, using: &random) > 0 {
            texts[locale] = [:]
            for name in ["title", "text", "Url", "n"] where Bool.random(using: &random) {
                texts[locale]?[name] = text(&random)
            }
        }
        return texts.isEmpty ? ["": ["title": "x"]] : texts
    }

    private static let words = [
        "Hello", "é", "气候", "مرحبا", "😀", "\"", "\\", "<b>&amp;", "\n", "$(x)", "{{", "3", " ", "'", "\u{1}", "007",
    ]

    private static func text(_ random: inout SeededRandom) -> String {
        let count = Int.random(in: 0..<20, using: &random) == 0 ? 2_000 : Int.random(in: 0...5, using: &random)
        return (0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined()
    }

    /// One language a template, or none.
    private static func templates(_ random: inout SeededRandom) -> [PreviewTemplate] {
        (0..<Int.random(in: 1...3, using: &random)).map { number in
            let word = ["_English", "_French", "_Arabic", ""].randomElement(using: &random) ?? ""
            func expression() -> String {
                let name = (["title", "TEXT", "url", "n", "none"].randomElement(using: &random) ?? "") + word
                let forms = [
                    "$(\(name))", "$(\(name), 5)", ".(\(name), 8)", "%(\(name))", "#(\(name))", "$(\(name):{so})",
                    "{'a ' + $(\(name)) + '!'}", "Hello $(\(name))",
                ]
                return forms.randomElement(using: &random) ?? ""
            }
            let (one, other) = (expression(), expression())
            let platform = DevicePlatform.allCases.filter { $0 != .browser }.randomElement(using: &random) ?? .apns
            let body =
                switch platform {
                case .apns: #"{"aps":{"alert":{"title":"\#(one)","body":"\#(other)"},"badge":"\#(expression())"}}"#
                case .fcmV1: #"{"message":{"notification":{"title":"\#(one)","body":"\#(other)"}}}"#
                case .gcm: #"{"notification":{"title":"\#(one)","body":"\#(other)"}}"#
                case .wns: "<toast><visual><binding><text>\(one)</text><text>\(other)</text></binding></visual></toast>"
                case .mpns:
                    "<wp:Notification xmlns:wp=\"WPNotification\"><wp:Toast><wp:Text1>\(one)</wp:Text1>"
                        + "<wp:Text2>\(other)</wp:Text2></wp:Toast></wp:Notification>"
                default: #"{"data":{"title":"\#(one)","message":"\#(other)"}}"#
                }
            return PreviewTemplate(
                platform, "t\(number)", body, headers: platform == .apns ? ["apns-collapse-id": expression()] : [:])
        }
    }
}
