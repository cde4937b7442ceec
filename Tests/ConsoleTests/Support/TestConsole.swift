import HTTPServer
import HTTPTypes
import Postgres
import Signing
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
    let desk: ActionDesk

    /// - Parameters:
    ///   - database: whose login the console has.
    ///   - door: who lets people in. Default: everybody is `person`.
    ///   - shared: what its viewers share; nil: each look is one of its own.
    ///   - statementSeconds: seconds that a part may take. Default: more than other tests keep a machine busy.
    init(
        _ database: Database, person: Person = OpenDoor().person, options: ConsoleOptions = ConsoleOptions(),
        behind door: (any Door)? = nil, sharing shared: Looks? = nil, statementSeconds: Int = 60,
        now: @escaping @Sendable () -> Double = { 1_800_000_000 }
    ) {
        // A clock that goes on with each look, so that none is shared.
        let count = Counter()
        let looks = shared ?? Looks { Double(count.next()) * 1_000 }
        let desk = ActionDesk(looks, now: now)
        self.desk = desk
        let reader: @Sendable (Person) -> PageReader = {
            PageReader(database: database, looks: looks, desk: desk, person: $0, statementSeconds: statementSeconds)
        }
        responder = ConsoleResponder(
            door: door ?? OpenDoor(person: person), options: SharedOptions(options), reader: reader,
            actions: ActionResponder(desk: desk, reader: reader, database: database), now: now)
    }

    /// - Returns: nil: the connection was closed.
    func get(_ path: String, headers: HTTPFields = HTTPFields()) async throws -> Response? {
        try await send(.get, path, headers: headers)
    }

    /// Sends a form.
    ///
    /// - Returns: nil: the connection was closed.
    func post(
        _ path: String, _ fields: KeyValuePairs<String, String>, headers: HTTPFields = HTTPFields()
    ) async throws -> Response? {
        try await post(path, fields: fields.map { ($0, $1) }, headers: headers)
    }

    /// Sends a form.
    ///
    /// - Returns: nil: the connection was closed.
    func post(
        _ path: String, fields: [(name: String, value: String)], headers: HTTPFields = HTTPFields()
    ) async throws -> Response? {
        let body = fields.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
        return try await send(.post, path, Array(body.utf8), headers: headers)
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: [UInt8] = [], headers: HTTPFields = HTTPFields()
    ) async throws -> Response? {
        let request = HTTPRequest(
            method: method, scheme: "http", authority: "localhost", path: path, headerFields: headers)
        let plan =
            switch responder.plan(request, on: PeerConnection(isHTTP2: false)) {
            case .withoutBody(let plan): plan
            case .body(let limit, let then): then(UploadedBody(bytes: body.count <= limit ? body : nil))
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
