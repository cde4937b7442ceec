import HTTPServer
import HTTPTypes
import Postgres
import Synchronization

@testable import Console

/// A door that lets one person in.
struct OpenDoor: Door {
    var person = Person("Ann", rights: Set(Right.allCases))

    func admit(_ request: HTTPRequest, on connection: PeerConnection) -> Admission { .person(person) }
}

/// Asks a console without a socket, and shows what it answers.
struct TestConsole {
    let responder: ConsoleResponder

    /// - Parameter database: whose login the console has.
    init(
        _ database: Database, person: Person = OpenDoor().person, options: ConsoleOptions = ConsoleOptions(),
        now: @escaping @Sendable () -> Double = { 1_800_000_000 }
    ) {
        // A clock that goes on with each look, so that none is shared.
        let count = Counter()
        responder = ConsoleResponder(
            door: OpenDoor(person: person), options: options, database: database,
            looks: Looks { Double(count.next()) * 1_000 }, now: now)
    }

    /// - Returns: nil: the connection was closed.
    func get(_ path: String, headers: HTTPFields = HTTPFields()) async throws -> Response? {
        let request = HTTPRequest(
            method: .get, scheme: "http", authority: "localhost", path: path, headerFields: headers)
        guard case .withoutBody(let plan) = responder.plan(request, on: PeerConnection(isHTTP2: false)) else {
            return nil
        }
        switch plan {
        case .answer(let response): return response
        case .later(let make): return try await make()
        case .hangUp, .resetStream, .silence: return nil
        }
    }

    /// The page as text.
    func page(_ path: String) async throws -> String {
        String(decoding: try await get(path)?.body ?? [], as: UTF8.self)
    }
}

private final class Counter: Sendable {
    private let value = Mutex(0)

    func next() -> Int {
        value.withLock {
            $0 += 1; return $0
        }
    }
}
