import Foundation
import Testing

@testable import HubEmulator

/// The page as it comes over the wire, without a browser.
@Suite struct PageTests {
    private func page(_ bench: Bench, _ path: String = "/") async throws -> Client.Reply {
        try await bench.exchange("GET \(path) HTTP/1.1\r\nHost: \(bench.host)\r\n\r\n")
    }

    @Test func itIsWholeWithoutAScript() async throws {
        try await Bench.run { bench in
            var device = InboxTests.device("alice", ["World", "lang:fr"], user: "u1")
            device.templates = ["news": .init(body: #"{"aps":{"alert":{"title":"$(t)","body":"$(m)"},"badge":2}}"#)]
            try bench.emulator.register(device, at: "news")
            #expect(try await bench.exchange(bench.send(to: "World", #"{"t":"Titre","m":"Bonjour"}"#)).status == 201)
            #expect(try await bench.exchange(bench.send(to: "Nowhere")).status == 201)
            try bench.emulator.add(Fault(.every(10), hub: "news", status: 429))
            for path in ["/", "/_emulator/", "/_emulator", "/?hub=news", "/?tag=world", "/?text=bonjour"] {
                let reply = try await page(bench, path)
                #expect(reply.status == 200 && reply.headers["content-type"] == "text/html; charset=utf-8")
                for text in [
                    "alice", "French · fr", "World", ">Titre<", ">Bonjour<", "badge 2", "template news",
                    "every 10th send",
                    "429", "no device has the tag nowhere", "data-count=\"countTaken\">2<",
                ] {
                    #expect(reply.body.lowercased().contains(text.lowercased()), "\(path): \(text)")
                }
            }
            #expect(try await page(bench, "/?hub=sports").body.contains("No phones yet"))
            #expect(try await page(bench, "/?tag=none").body.contains("No phone fits"))
            #expect(try await page(bench, "/?hub=nowhere").status == 400)
            #expect(try await page(bench, "/?page=0").status == 400)
        }
    }

    @Test(arguments: ["/", "/_emulator/page/style.css", "/_emulator/page/script.js", "/_emulator/page/icon.svg"])
    func nothingFromElsewhereMayRun(path: String) async throws {
        try await Bench.run { bench in
            let reply = try await page(bench, path)
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

    /// Ids, users, tags, template names, payloads, warnings, searches: nothing gets into the page as markup.
    @Test func markupFromOutsideIsText() async throws {
        let evil = #""><img src=x onerror=alert(1)>'"#
        try await Bench.run { bench in
            for (number, platform) in [Installation.Platform.apns, .fcmV1].enumerated() {
                try bench.emulator.register(
                    Installation(
                        "\(evil)\(number)", platform: platform, pushChannel: .handle("AB"), user: evil, tags: ["World"],
                        templates: [evil: #"{"aps":{"alert":{"title":"$(m)","body":"$(m)"},"category":"$(m)"}}"#]),
                    at: "news")
            }
            let body = try String(decoding: JSONEncoder().encode(["m": evil]), as: UTF8.self)
            #expect(try await bench.exchange(bench.send(to: "World", body)).status == 201)
            let encoded = evil.urlEncoded
            for path in ["/", "/?text=\(encoded)", "/?tag=\(encoded)"] {
                let html = try await page(bench, path).body
                #expect(html.contains("&lt;img src=x onerror=alert(1)&gt;"), "\(path)")
                #expect(!html.contains("<img src=x"), "\(path)")
            }
        }
    }

    @Test func olderPhonesAreOnTheNextPage() async throws {
        try await Bench.run { bench in
            for number in 100..<170 {
                try bench.emulator.register(InboxTests.device("device-\(number)", ["crowd"]), at: "news")
            }
            let first = try await page(bench, "/").body
            #expect(first.contains("1–60 of 70") && first.contains(#"href="/?page=2""#))
            #expect(first.contains("device-159") && !first.contains("device-160"))
            let second = try await page(bench, "/?tag=crowd&page=2").body
            #expect(second.contains("61–70 of 70") && second.contains(#"href="/?tag=crowd""#))
            #expect(second.contains("device-160") && !second.contains(" data-first"))
        }
    }

    @Test(arguments: ["clear", "clear-warnings", "clear-faults"])
    func aFormLeadsBack(action: String) async throws {
        try await Bench.run { bench in
            #expect(try await bench.exchange(bench.send(to: nil)).status == 201)
            try bench.emulator.add(Fault(.nth(9), status: 500))
            let reply = try await bench.exchange(
                bench.request("POST", "/_emulator/page/\(action)", token: "", headers: [:]))
            #expect(reply.status == 303 && reply.headers["location"] == "/")
            #expect(bench.emulator.warnings.isEmpty == (action == "clear-warnings"))
            #expect(bench.emulator.faults.isEmpty == (action == "clear-faults"))
            #expect((bench.emulator.count().taken == 0) == (action == "clear"))
            #expect(try await page(bench, "/_emulator/page/\(action)").status == 404)
        }
    }

    @Test func aFaultIsToldInWords() {
        var fault = Fault(.every(22), status: 429)
        fault.retryAfter = .seconds(2)
        #expect(fault.momentText == "every 22nd send" && fault.effectText == "429, Retry-After 2 s")
        #expect(Fault(.nth(11), closing: .afterBody).momentText == "the 11th send")
        #expect(Fault(.probability(0.125, seed: 1), status: 500).momentText == "12.5 % of the sends")
        #expect(Fault(.next(1_500), closing: .beforeBody).effectText == "closed before the body")
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567"), (-1_000, "-1,000")])
    func numbersAreGrouped(number: Int, text: String) { #expect(number.grouped == text) }
}
