import HTTPServer
import HTTPTypes
import SocketSupport
import Testing

@testable import Console

@Suite(.timeLimit(.minutes(10))) struct LinkDoorTests {
    private let clock = TestClock(0)

    private func door(basePath: String = "") -> LinkDoor {
        var options = ConsoleOptions()
        options.basePath = basePath
        return LinkDoor(
            for: Person("postgres", rights: [.look], sharesLogin: false), options: options, listening: "127.0.0.1",
            clock: { [clock] in clock.now })
    }

    @Test func theLinkOpensTheConsoleOnce() async throws {
        let door = door()
        try await DoorServer.run(door) { server in
            #expect(try await server.exchange("GET", "/").status == 401)
            let link = door.link.reveal()
            #expect(try await server.exchange("HEAD", link).status == 405, "a look ahead does not use it up")
            let opened = try await server.exchange("GET", link)
            #expect(opened.status == 303 && opened.headers["location"] == "/")
            let cookie = try #require(opened.cookie)
            #expect(try await server.exchange("GET", "/", [cookie]).body == "postgres look")
            let again = try await server.exchange("GET", link)
            #expect(again.status == 403 && again.cookie == nil)
            #expect(again.body.contains("This link was used. Stop the command and start it again."))
            #expect(try await server.exchange("GET", link, [cookie]).status == 303, "the same browser, again")
        }
    }

    @Test func aLinkOfAMinuteAgoIsOver() async throws {
        let door = door()
        clock.now = 60
        try await DoorServer.run(door) { server in
            let reply = try await server.exchange("GET", door.link.reveal())
            #expect(reply.status == 403 && reply.body.contains("older than a minute") && reply.cookie == nil)
        }
    }

    @Test func anotherProcessHasAnotherCookie() async throws {
        let first = door(), second = door()
        var cookies: [String] = []
        for door in [first, second] {
            try await DoorServer.run(door) { server in
                cookies.append(try #require(try await server.exchange("GET", door.link.reveal()).cookie))
            }
        }
        // A browser sends the cookies of both, because it does not look at ports.
        #expect(cookies[0].split(separator: "=")[0] != cookies[1].split(separator: "=")[0])
        try await DoorServer.run(first) { (server) async throws in
            #expect(try await server.exchange("GET", "/", [cookies[1]]).status == 401)
            #expect(try await server.exchange("GET", "/", [cookies[1] + "; " + cookies[0].dropFirst(8)]).status == 200)
        }
    }

    @Test func aWrongKeyOpensNothing() async throws {
        let door = door(basePath: "/pushes")
        #expect(door.link.reveal().hasPrefix("/pushes/open?key="))
        try await DoorServer.run(door) { server in
            for path in ["/pushes/open", "/pushes/open?key=", "/pushes/open?key=AAAA", door.link.reveal() + "A"] {
                let reply = try await server.exchange("GET", path)
                #expect(reply.status == 403 && reply.cookie == nil, "\(path)")
            }
            let opened = try await server.exchange("GET", door.link.reveal())
            #expect(opened.status == 303 && opened.headers["location"] == "/pushes/")
        }
    }

    /// Behind a proxy on the same machine everybody was local (Etherna/scrinium #131).
    @Test func aProxyCannotReachIt() async throws {
        let door = door()
        try await DoorServer.run(door) { (server) async throws in
            let link = door.link.reveal()
            #expect(try await server.exchange("GET", link, ["X-Forwarded-For: 127.0.0.1"]).status == 403)
            #expect(try await server.exchange("GET", link, ["Host: evil.example"]).status == 421)
            #expect(try await server.exchange("GET", link, ["Sec-Fetch-Site: cross-site"]).status == 403)
            #expect(try await server.exchange("GET", link).status == 303, "none of them used it up")
        }
    }

    /// A release of a peer lost "local only" (Hangfire #1958).
    @Test(arguments: ["192.0.2.7", nil])
    func anotherMachineCannotReachIt(address: String?) {
        let door = door()
        let request = HTTPRequest.of(.get, door.link.reveal())
        guard
            case .answered(.withoutBody(.answer(let response))) = door.admit(
                request, on: PeerConnection(isHTTP2: false, address: address))
        else {
            Issue.record("it has another answer")
            return
        }
        #expect(response.status == 403 && response.headers[.setCookie] == nil)
    }
}
