import Foundation
import Testing

@testable import HubEmulator

/// The page over HTTP, without a browser.
@Suite struct PageRoutesTests {
    private func page(_ fixture: EmulatorFixture, _ path: String = "/") async throws -> Client.Reply {
        try await fixture.exchange("GET \(path) HTTP/1.1\r\nHost: \(fixture.host)\r\n\r\n")
    }

    @Test func thePageIsCompleteWithoutScript() async throws {
        try await EmulatorFixture.run { fixture in
            var device = EmulatorFixture.device("alice", ["World", "lang:fr"], user: "u1")
            device.templates = ["news": .init(body: #"{"aps":{"alert":{"title":"$(t)","body":"$(m)"},"badge":2}}"#)]
            try fixture.emulator.register(device, at: "news")
            #expect(
                try await fixture.exchange(fixture.send(to: "World", #"{"t":"Titre","m":"Bonjour"}"#)).status == 201)
            #expect(try await fixture.exchange(fixture.send(to: "Nowhere")).status == 201)
            try fixture.emulator.add(Fault(.every(10), hub: "news", status: 429))
            for path in ["/", "/_emulator/", "/_emulator", "/?hub=news", "/?tag=world", "/?text=bonjour"] {
                let reply = try await page(fixture, path)
                #expect(reply.status == 200 && reply.headers["content-type"] == "text/html; charset=utf-8")
                for text in [
                    "alice", "French · fr", "World", ">Titre<", ">Bonjour<", "badge 2", "template news",
                    "every 10th send",
                    "429", "no device has the tag nowhere", "data-count=\"countTaken\">2<",
                ] {
                    #expect(reply.body.lowercased().contains(text.lowercased()), "\(path): \(text)")
                }
            }
            #expect(try await page(fixture, "/?hub=sports").body.contains("No phones yet"))
            #expect(try await page(fixture, "/?tag=none").body.contains("No phone fits"))
            #expect(try await page(fixture, "/?hub=nowhere").status == 400)
            #expect(try await page(fixture, "/?page=0").status == 400)
        }
    }

    @Test(arguments: ["/", "/_emulator/page/style.css", "/_emulator/page/script.js", "/_emulator/page/icon.svg"])
    func thePolicyAllowsOnlyOwnResources(path: String) async throws {
        try await EmulatorFixture.run { fixture in
            let reply = try await page(fixture, path)
            #expect(reply.status == 200)
            #expect(
                reply.headers["content-security-policy"]
                    == "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                    + "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
            #expect(
                reply.headers["x-content-type-options"] == "nosniff" && reply.headers["cache-control"] == "no-store")
            #expect(!reply.body.contains(" style=") && !reply.body.contains("javascript:"))
        }
    }

    /// Ids, users, tags, template names, payloads, warnings and search texts.
    @Test func externalMarkupIsEscaped() async throws {
        let evil = #""><img src=x onerror=alert(1)>'"#
        try await EmulatorFixture.run { fixture in
            for (number, platform) in [Installation.Platform.apns, .fcmV1].enumerated() {
                try fixture.emulator.register(
                    Installation(
                        "\(evil)\(number)", platform: platform, pushChannel: .handle("AB"), user: evil, tags: ["World"],
                        templates: [evil: #"{"aps":{"alert":{"title":"$(m)","body":"$(m)"},"category":"$(m)"}}"#]),
                    at: "news")
            }
            let body = try String(decoding: JSONEncoder().encode(["m": evil]), as: UTF8.self)
            #expect(try await fixture.exchange(fixture.send(to: "World", body)).status == 201)
            let encoded = evil.urlEncoded
            for path in ["/", "/?text=\(encoded)", "/?tag=\(encoded)"] {
                let html = try await page(fixture, path).body
                #expect(html.contains("&lt;img src=x onerror=alert(1)&gt;"), "\(path)")
                #expect(!html.contains("<img src=x"), "\(path)")
            }
        }
    }

    @Test func olderDevicesAreOnTheNextPage() async throws {
        try await EmulatorFixture.run { fixture in
            for number in 100..<170 {
                try fixture.emulator.register(EmulatorFixture.device("device-\(number)", ["crowd"]), at: "news")
            }
            let first = try await page(fixture, "/").body
            #expect(first.contains("1–60 of 70") && first.contains(#"href="/?page=2""#))
            #expect(first.contains("device-159") && !first.contains("device-160"))
            let second = try await page(fixture, "/?tag=crowd&page=2").body
            #expect(second.contains("61–70 of 70") && second.contains(#"href="/?tag=crowd""#))
            #expect(second.contains("device-160") && !second.contains(" data-first"))
        }
    }
}
