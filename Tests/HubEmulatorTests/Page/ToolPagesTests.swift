import Testing

@testable import HubEmulator

/// The pages beside the one with the phones, complete without script.
@Suite struct ToolPagesTests {
    private func page(_ fixture: EmulatorFixture, _ path: String) async throws -> String {
        let reply = try await fixture.exchange("GET \(path) HTTP/1.1\r\nHost: \(fixture.host)\r\n\r\n")
        #expect(reply.status == 200 && reply.headers["content-type"] == "text/html; charset=utf-8", "\(path)")
        return reply.body
    }

    private func expect(_ html: String, has texts: [String]) {
        for text in texts { #expect(html.contains(text), "no \(text) in\n\(html)") }
    }

    @Test func aJournalRowLeadsToItsSend() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(EmulatorFixture.device("a", ["World"]), at: "news")
            try fixture.emulator.register(EmulatorFixture.device("b", ["Sports"]), at: "news")
            #expect(try await fixture.exchange(fixture.send(to: "World", #"{"x":"y"}"#)).status == 201)
            let main = try await page(fixture, "/")
            expect(main, has: [#"href="/_emulator/page/sends/1""#, "the message lacks <b>m</b>"])
            // The warning stands before the journal.
            let warning = try #require(main.firstRange(of: "shows an empty alert"))
            let journal = try #require(main.firstRange(of: #"id="send-list""#))
            #expect(warning.lowerBound < journal.lowerBound)
            expect(
                try await page(fixture, "/_emulator/page/sends/1"),
                has: [
                    "Taken: 1 notification, and 1 device did not get it.", "lacks World", "the message lacks m",
                    "ServiceBusNotification-Tags", "<td>•••</td>", "Authorization: $TOKEN",
                    "{&quot;x&quot;:&quot;y&quot;}", "X POST &#39;http://\(fixture.host)/news/",
                    #"<th scope="row">x</th><td dir="auto">y</td>"#,
                ])
            let missing = try await fixture.exchange(
                "GET /_emulator/page/sends/7 HTTP/1.1\r\nHost: \(fixture.host)\r\n\r\n")
            #expect(missing.status == 404 && missing.body.contains("No send 7"))
        }
    }

    @Test func theJournalIsFiltered() async throws {
        try await EmulatorFixture.run { fixture in
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
            #expect(try await fixture.exchange(fixture.send(to: "(a")).status == 400)
            for (query, numbers) in [
                ("", [2, 1]), ("?status=taken", [1]), ("?status=refused", [2]), ("?find=4xx", [2]),
                ("?find=world", [1]),
                ("?find=none", []),
            ] {
                let html = try await page(fixture, "/\(query)")
                let found = html.matches(of: /<li class="send [a-z]+" data-number="([0-9]+)"/).compactMap { Int($0.1) }
                #expect(found == numbers, "\(query)")
            }
            let wrong = try await fixture.exchange("GET /?status=x HTTP/1.1\r\nHost: \(fixture.host)\r\n\r\n")
            #expect(wrong.status == 400)
        }
    }

    @Test func everyToolShowsWhatItIsFor() async throws {
        try await EmulatorFixture.run({ $0.telemetryDelay = 0 }) { fixture in
            var device = EmulatorFixture.device("alice", ["World"])
            device.expirationTime = "2099-01-01T00:00:00Z"
            try fixture.emulator.register(device, at: "news")
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
            #expect(try await fixture.exchange(fixture.send(to: "Nobody")).status == 201)
            expect(
                try await page(fixture, "/_emulator/page/tags?hub=news&tags=World"),
                has: ["<b>1</b> of 1 device gets it.", ">alice</a>", "/_emulator/page/send?hub=news&amp;tags=World"])
            expect(
                try await page(fixture, "/_emulator/page/tags?hub=news&tags=World+%26%26+!Wrld"),
                has: ["No device has the tag wrld; did you mean world?"])
            expect(
                try await page(fixture, "/_emulator/page/tags?hub=news&tags=(World"), has: ["not a tag expression"])
            expect(
                try await page(fixture, "/_emulator/page/telemetry"),
                has: ["Completed", "apns: Success 1", "NoTargetFound", "No rule changes"])
            expect(
                try await page(fixture, "/_emulator/page/registrations?hub=news"),
                has: [">alice</a>", "native", ">t</td>", "2099-01-01", "<code>AB</code>"])
            expect(
                try await page(fixture, "/_emulator/page/registrations?hub=news&tag=none"),
                has: ["No registration fits."])
            expect(try await page(fixture, "/_emulator/page/schedules"), has: ["No send is scheduled."])
            expect(try await page(fixture, "/_emulator/page/send?hub=sports&tags=a"), has: ["<option selected>sports"])
            expect(try await page(fixture, "/_emulator/page/phone"), has: ["fcmV1"])
        }
    }

    @Test func registrationsArePaged() async throws {
        try await EmulatorFixture.run { fixture in
            for number in 100..<160 {
                try fixture.emulator.register(EmulatorFixture.device("d\(number)", ["crowd"]), at: "news")
            }
            // Two registrations each: the device and its template.
            let first = try await page(fixture, "/_emulator/page/registrations?hub=news&tag=crowd")
            #expect(first.matches(of: /<td data-label="Device"><a href/).count == 100)
            let link = String(try #require(first.firstMatch(of: /<a href="([^"]+)" rel="next">/)).1)
            let second = try await page(fixture, link.replacing("&amp;", with: "&"))
            #expect(second.matches(of: /<td data-label="Device"><a href/).count == 20 && second.contains("d159"))
            #expect(!second.contains("rel=\"next\""))
        }
    }

    /// U+0600 and U+0301 are one character with the mark beside them.
    @Test(arguments: [
        ("\"><img src=x onerror=alert(1)>'", "<img src=x>"),
        ("\u{600}\"\u{600}>\u{600}<img src=x onerror=alert(1)\u{600}>'\u{301}", "\u{600}<img src=x\u{600}>"),
        ("\"\u{301}>\u{110BD}<img src=x onerror=alert(1)>'", "\u{110BD}<img src=x>"),
    ])
    func externalMarkupIsEscapedEverywhere(evil: String, image: String) async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(
                Installation(
                    evil, pushChannel: .handle("AB"), tags: ["World"],
                    templates: [evil: #"{"aps":{"alert":"$(m)"}}"#]), at: "news")
            try fixture.emulator.register(Installation("other\(evil)", pushChannel: .handle("AB")), at: "news")
            #expect(try await fixture.exchange(fixture.send(to: "World", #"{"m":"\#(image)"}"#)).status == 201)
            let request = fixture.request(
                headers: [
                    "ServiceBusNotification-Format": "template", "ServiceBusNotification-Tags": image, "X-Odd": image,
                ], body: image)
            #expect(try await fixture.exchange(request).status == 400)
            let text = evil.urlEncoded
            for path in [
                "sends/1", "sends/2", "telemetry", "registrations?hub=news", "registrations?hub=news&tag=\(text)",
                "tags?hub=news&tags=World", "tags?hub=news&tags=\(text)&format=template",
                "send?hub=news&tags=\(text)&body=\(text)",
                "phone?id=\(text)&tags=\(text)&user=\(text)", "schedules",
            ] {
                let html = try await page(fixture, "/_emulator/page/\(path)")
                #expect(!html.unicodeScalars.contains("<img src=x".unicodeScalars), "\(path)")
            }
            // The journal names a hub that the emulator does not have.
            let unknown = fixture.request("POST", "/\(image.urlEncoded)/messages", body: "x")
            #expect(try await fixture.exchange(unknown).status == 404)
            for path in ["/", "/?text=\(text)&tag=\(text)&find=\(text)"] {
                let html = try await page(fixture, path)
                #expect(!html.unicodeScalars.contains("<img src=x".unicodeScalars), "\(path)")
            }
            #expect(try await page(fixture, "/").unicodeScalars.contains("&lt;img src=x".unicodeScalars))
        }
    }

    @Test(arguments: [
        (0.5, "less than a second"), (1, "1 second"), (3_600, "1 hour"), (93_784, "1 day 2 hours"),
        (86_460, "1 day 1 minute"),
    ])
    func theClockSaysHowFarItIsAhead(seconds: Double, text: String) {
        #expect(ClockView(advanced: seconds).clockAhead == text)
        #expect(!ClockView(advanced: 0).isClockMoved)
    }
}
