import HTTPTypes
import PushModel
import Signing
import SocketSupport
import Synchronization
import Testing

@testable import Console

@Suite(.timeLimit(.minutes(10))) struct SignInDoorTests {
    private static let ann = Account(
        Person("ann", rights: [.look, .operate]), password: .make(of: "correct horse", cost: .cheap))
    private static let ben = Account(
        Person("ben", rights: [.approve]), password: .make(of: "battery staple", cost: .cheap))
    private let clock = TestClock()

    private static func settings(
        _ users: [Account] = [ann, ben], proxies: [String] = [], userHeader: String? = nil
    ) -> DoorSettings {
        DoorSettings(
            people: People(users), hosts: ["console.example"], proxies: proxies.compactMap { AddressRange($0) },
            userHeader: userHeader.flatMap { HTTPField.Name($0) })
    }

    private func door(
        _ settings: DoorSettings = settings(), basePath: String = "",
        heard: @escaping @Sendable (SignInEvent) -> Void = { _ in }
    ) -> SignInDoor {
        var options = ConsoleOptions()
        options.name = "pro<duction"
        options.basePath = basePath
        return SignInDoor(
            settings, options: options, listening: "127.0.0.1", clock: { [clock] in clock.now },
            now: { [clock] in clock.now }, heard: heard)
    }

    // MARK: Signing in and out

    @Test func whoSignsInAndWhoCannotIsHeardWithoutThePassword() async throws {
        let events = Mutex<[SignInEvent]>([])
        let door = door { event in events.withLock { $0.append(event) } }
        try await DoorServer.run(door) { server in
            _ = try await server.signIn("ann", "correct+horse")
            _ = try await server.exchange("GET", "/sign-in")
            for _ in 0..<SignInLimit.wrongPasswords {
                _ = try await server.signIn("eve%0A%1B[2J" + String(repeating: "e", count: 500), "my+secret")
            }
            #expect(try await server.signIn("ann", "correct+horse").status == 429)
        }
        let heard = events.withLock { $0 }
        #expect(heard.first == SignInEvent(.signedIn, name: "ann", address: "127.0.0.1"))
        #expect(heard.last == SignInEvent(.tooOften, name: "ann", address: "127.0.0.1"))
        let wrong = heard.dropFirst().dropLast()
        #expect(
            wrong.count == SignInLimit.wrongPasswords
                && wrong.allSatisfy { $0.outcome == .wrong && $0.name.count == 100 })
        #expect(!"\(heard)".contains("secret") && !"\(heard)".contains("horse"))
    }

    @Test func aPersonSignsInGoesOnAndSignsOut() async throws {
        try await DoorServer.run(door()) { server in
            let first = try await server.exchange("GET", "/hubs/shop?live=10")
            #expect(first.status == 303)
            #expect(first.headers["location"] == "/sign-in?to=%2fhubs%2fshop%3flive%3d10")
            let form = try await server.exchange("GET", try #require(first.headers["location"]))
            #expect(form.status == 200 && form.body.contains("value=\"/hubs/shop?live=10\""))
            #expect(form.body.contains("pro&lt;duction") && !form.body.contains("pro<duction"))
            let signedIn = try await server.signIn("ann", "correct+horse", to: "/hubs/shop?live=10")
            #expect(signedIn.status == 303 && signedIn.headers["location"] == "/hubs/shop?live=10")
            let cookie = try #require(signedIn.cookie)
            #expect(try await server.exchange("GET", "/hubs/shop", [cookie]).body == "ann look operate")
            #expect(try await server.exchange("GET", "/sign-in", [cookie]).headers["location"] == "/")
            let out = try await server.post("/sign-out", [cookie], "")
            #expect(out.status == 303 && out.headers["location"] == "/sign-in")
            #expect(try #require(out.headers["set-cookie"]).contains("Max-Age=0"))
        }
    }

    @Test func aWrongPasswordAndAnUnknownNameGetOneAnswer() async throws {
        try await DoorServer.run(door()) { server in
            let wrong = try await server.signIn("ann", "wrong")
            let unknown = try await server.signIn("eve", "wrong")
            #expect(wrong.status == 403 && wrong.cookie == nil)
            #expect(unknown.status == 403 && unknown.cookie == nil)
            #expect(wrong.body.replacing("ann", with: "") == unknown.body.replacing("eve", with: ""))
            #expect(wrong.body.contains("value=\"ann\"") && !wrong.body.contains("\"wrong\""))
        }
    }

    @Test func whatIsTypedIsText() async throws {
        try await DoorServer.run(door()) { server in
            let reply = try await server.signIn("%22%3E%3Cscript%3E", "x", to: "%22%3E%3Cscript%3E")
            #expect(reply.status == 403 && !reply.body.contains("<script"))
        }
    }

    @Test(arguments: [
        "//evil.example", "/%5Cevil.example%09", "/%5c%5cevil.example", "https://evil.example", "%2F%5Cevil",
    ])
    func nobodyIsSentElsewhere(to: String) async throws {
        try await DoorServer.run(door()) { (server) async throws in
            #expect(try await server.signIn("ann", "correct+horse", to: to).headers["location"] == "/")
            #expect(!(try await server.exchange("GET", "/sign-in?to=\(to)").body.contains("evil")))
        }
    }

    @Test func addressesAreBelowTheBasePath() async throws {
        try await DoorServer.run(door(basePath: "/pushes")) { server in
            #expect(
                try await server.exchange("GET", "/pushes/hubs").headers["location"]
                    == "/pushes/sign-in?to=%2fpushes%2fhubs")
            #expect(try await server.exchange("GET", "/other").headers["location"] == "/pushes/sign-in")
            let reply = try await server.post("/pushes/sign-in", [], "name=ann&password=correct+horse&to=/other")
            #expect(reply.headers["location"] == "/pushes/")
            #expect(try #require(reply.headers["set-cookie"]).contains("Path=/pushes;"))
            #expect(try await server.exchange("GET", "/pushes/console.css").status == 200)
        }
    }

    @Test func aLiveRefetchIsNotSentToAnotherPage() async throws {
        try await DoorServer.run(door()) { server in
            for line in ["Sec-Fetch-Mode: cors", "Sec-Fetch-Mode: same-origin", "X-Fanfare-Live: 1"] {
                let reply = try await server.exchange("GET", "/", [line])
                #expect(reply.status == 401 && reply.headers["location"] == nil)
                #expect(reply.headers["www-authenticate"] == "FanfareConsole")
            }
            #expect(try await server.post("/hubs/shop", [], "").status == 401)
        }
    }

    @Test func whatIsAskedInAnotherWayIsRefused() async throws {
        try await DoorServer.run(door()) { server in
            let out = try await server.exchange("GET", "/sign-out")
            #expect(out.status == 405 && out.headers["allow"] == "POST")
            let put = try await server.exchange("PUT", "/sign-in", ["Sec-Fetch-Site: same-origin"], body: "")
            #expect(put.status == 405 && put.headers["allow"] == "GET, HEAD, POST")
            #expect(try await server.exchange("HEAD", "/sign-in").status == 200)
        }
    }

    // MARK: Cookies

    @Test func onlyACookieOfTheConsoleOpensIt() async throws {
        try await DoorServer.run(door()) { server in
            let cookie = try #require(try await server.signIn("ann", "correct+horse").cookie)
            let others = [
                String(cookie.dropLast()), cookie + "A", cookie.replacing("fanfare-console", with: "fanfare"),
                "Cookie: fanfare-console=", "Cookie: fanfare-console=1.YW5u.1900000000.AAAA", "Cookie: ;;=;",
            ]
            for other in others { #expect(try await server.exchange("GET", "/", [other]).status == 303, "\(other)") }
            let many = "Cookie: fanfare-console=x; a=\(String(repeating: "b", count: 15_000)); " + cookie.dropFirst(8)
            #expect(try await server.exchange("GET", "/", [many]).body == "ann look operate")
            #expect(
                try await server.exchange("GET", "/", ["Cookie: " + String(repeating: "b", count: 70_000)]).status
                    == 431)
        }
    }

    @Test func aCookieOfYesterdayIsOver() async throws {
        try await DoorServer.run(door()) { server in
            let cookie = try #require(try await server.signIn("ann", "correct+horse").cookie)
            clock.now += 43_200
            #expect(try await server.exchange("GET", "/", [cookie]).status == 303)
        }
    }

    @Test func aReloadCountsAtOnce() async throws {
        let door = door()
        try await DoorServer.run(door) { server in
            let ann = try #require(try await server.signIn("ann", "correct+horse").cookie)
            let ben = try #require(try await server.signIn("ben", "battery+staple").cookie)
            let changed = Account(Self.ann.person, password: .make(of: "new password", cost: .cheap))
            door.replace(Self.settings([changed, Self.ben]), ConsoleOptions())
            #expect(try await server.exchange("GET", "/", [ann]).status == 303, "the password changed")
            #expect(try await server.exchange("GET", "/", [ben]).body == "ben approve")
            #expect(try await server.signIn("ann", "correct+horse").status == 403)
            #expect(try await server.signIn("ann", "new+password").status == 303)
            door.replace(Self.settings([changed]), ConsoleOptions())
            #expect(try await server.exchange("GET", "/", [ben]).status == 303, "no user any more")
        }
    }

    // MARK: Guessing

    @Test func theEleventhWrongPasswordHasToWait() async throws {
        try await DoorServer.run(door()) { server in
            for _ in 0..<10 { #expect(try await server.signIn("ann", "wrong").status == 403) }
            let reply = try await server.signIn("ann", "correct+horse")
            #expect(reply.status == 429 && reply.headers["retry-after"] == "60" && reply.cookie == nil)
            clock.now += 60
            #expect(try await server.signIn("ann", "correct+horse").status == 303)
        }
    }

    @Test func guessesAtOnceAreCountedToo() async throws {
        try await DoorServer.run(door()) { server in
            let statuses = try await statuses(of: 20, on: server, password: "wrong")
            #expect(statuses == [403: 10, 429: 10])
        }
    }

    @Test func twentySignInAtOnce() async throws {
        try await DoorServer.run(door()) { (server) async throws in
            #expect(try await statuses(of: 20, on: server, password: "correct+horse") == [303: 20])
        }
    }

    private func statuses(of count: Int, on server: DoorServer, password: String) async throws -> [Int: Int] {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<count { group.addTask { try await server.signIn("ann", password).status } }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }

    // MARK: Large and slow

    @Test func aLargeFormIsNotRead() async throws {
        try await DoorServer.run(door()) { server in
            let announced = try Client(port: server.port)
            try await announced.write(
                server.head("POST", "/sign-in", ["Sec-Fetch-Site: same-origin"], length: 1_000_000_000))
            let reply = try await announced.reply()
            #expect(reply.status == 413 && reply.headers["connection"] == "close")
            let sent = try await server.signIn("ann", String(repeating: "x", count: SignInDoor.formLimit))
            #expect(sent.status == 413)
        }
    }

    @Test func aSlowFormIsCutOff() async throws {
        try await DoorServer.run(door(), requestSeconds: 1) { server in
            let client = try Client(port: server.port)
            try await client.write(
                server.head("POST", "/sign-in", ["Sec-Fetch-Site: same-origin"], length: 100) + "name=")
            #expect(try await client.reply().status == 408)
        }
    }

    // MARK: Other sites, other hosts, proxies

    /// A live stream of a peer was open to other sites (mailpit GHSA-524m-q5m7-79mm).
    @Test func anotherSiteCannotSignInOrLoad() async throws {
        try await DoorServer.run(door()) { server in
            let form = "name=ann&password=correct+horse"
            for lines in [["Sec-Fetch-Site: cross-site"], ["Origin: http://evil.example"], ["Origin: null"], []] {
                let reply = try await server.exchange("POST", "/sign-in", lines, body: form)
                #expect(reply.status == 403 && reply.cookie == nil, "\(lines)")
            }
            let own = try await server.exchange(
                "POST", "/sign-in", ["Origin: http://127.0.0.1:\(server.port)"], body: form)
            #expect(own.status == 303)
            let load = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"]
            #expect(try await server.exchange("GET", "/", [try #require(own.cookie)] + load).status == 403)
            #expect(try await server.exchange("GET", "/console.js", load).status == 403)
        }
    }

    @Test func anotherHostIsMisdirected() async throws {
        try await DoorServer.run(door()) { server in
            let cookie = try #require(try await server.signIn("ann", "correct+horse").cookie)
            let reply = try await server.exchange("GET", "/", ["Host: evil<.example", cookie])
            #expect(reply.status == 421 && reply.body.contains("evil&lt;.example"))
            #expect(try await server.exchange("GET", "/", ["Host: console.example", cookie]).status == 200)
        }
    }

    /// Behind a proxy on the same machine everybody was local (Etherna/scrinium #131).
    @Test func aForgedHeaderIsRefusedAndSaysWhy() async throws {
        try await DoorServer.run(door(Self.settings(proxies: ["192.0.2.1"], userHeader: "X-User"))) { server in
            for line in ["X-Forwarded-For: 192.0.2.1", "Forwarded: for=192.0.2.1", "Via: 1.1 x", "X-User: ann"] {
                let reply = try await server.exchange("GET", "/", [line])
                #expect(reply.status == 403 && reply.body.contains("console.proxies"), "\(line)")
            }
        }
    }

    @Test func clientsOfAProxyAreCountedApart() async throws {
        try await DoorServer.run(door(Self.settings(proxies: ["127.0.0.1"]))) { server in
            for number in 0..<10 {
                let forged = ["X-Forwarded-For: 203.0.113.\(number), 198.51.100.2"]
                #expect(try await server.signIn("ann", "wrong", forged).status == 403)
            }
            let again = ["X-Forwarded-For: 203.0.113.99, 198.51.100.2"]
            #expect(try await server.signIn("ann", "correct+horse", again).status == 429)
            let other = ["X-Forwarded-For: 198.51.100.3", "X-Forwarded-Proto: https"]
            let reply = try await server.signIn("ann", "correct+horse", other)
            #expect(reply.status == 303)
            let cookie = try #require(reply.headers["set-cookie"])
            #expect(cookie.hasPrefix("__Host-") && cookie.hasSuffix("; Secure"))
            let secure = ["X-Forwarded-Proto: https", try #require(reply.cookie)]
            #expect(try await server.exchange("GET", "/", secure).body == "ann look operate")
        }
    }

    @Test func aProxySignsPeopleIn() async throws {
        try await DoorServer.run(door(Self.settings(proxies: ["127.0.0.1"], userHeader: "X-User"))) { server in
            #expect(try await server.exchange("GET", "/", ["X-User: ben"]).body == "ben approve")
            #expect(try await server.exchange("GET", "/sign-in", ["X-User: ben"]).headers["location"] == "/")
            let out = try await server.post("/sign-out", ["X-User: ben"], "")
            #expect(out.status == 200 && out.body.contains("proxy") && out.cookie == nil)
            let nobody = try await server.exchange("GET", "/")
            #expect(nobody.status == 403 && nobody.body.contains("console.userHeader"))
            let unknown = try await server.exchange("GET", "/", ["X-User: e<ve"])
            #expect(unknown.status == 403 && unknown.body.contains("e&lt;ve") && unknown.body.contains("console.users"))
            #expect(try await server.exchange("GET", "/sign-in", ["X-User: eve"]).status == 403)
        }
    }

    // MARK: What every answer has

    @Test func everyAnswerIsClosedToOthers() async throws {
        try await DoorServer.run(door()) { server in
            let replies = [
                try await server.exchange("GET", "/"), try await server.exchange("GET", "/sign-in"),
                try await server.exchange("GET", "/console.css"), try await server.exchange("GET", "/", ["Host: x"]),
                try await server.exchange("GET", "/", ["X-Fanfare-Live: 1"]), try await server.signIn("ann", "wrong"),
                try await server.signIn("ann", "correct+horse"), try await server.exchange("GET", "/sign-out"),
                try await server.exchange("POST", "/"),
            ]
            for reply in replies {
                #expect(reply.headers["cache-control"] == "no-store", "\(reply.status)")
                #expect(reply.headers["x-content-type-options"] == "nosniff")
                #expect(reply.headers["cross-origin-opener-policy"] == "same-origin")
                #expect(reply.headers["x-robots-tag"] == "noindex" && reply.headers["referrer-policy"] == "same-origin")
                #expect(try #require(reply.headers["content-security-policy"]).contains("frame-ancestors 'none'"))
            }
        }
    }
}
