import HTTPServer
import Logging
import NIOCore
import Pages
import Postgres

/// The pages of an installation, on a listener of their own: nothing of it is shared with the health pages of a worker.
public final class Console: Sendable {
    private let listener: Listener
    private let databases: [Database]

    /// Connections open at once; the one that has been idle longest makes room for another.
    private static let connections = 200

    /// Sessions for pages. Actions have one of their own.
    private static let sessions = 2

    /// - Parameters:
    ///   - door: who decides about each request before it is answered.
    ///   - database: whose login reads; the console opens sessions of its own.
    ///   - clock: seconds that never go back.
    ///   - now: seconds since 1970.
    init(
        _ options: ConsoleOptions, behind door: any Door, database: Database, clock: @escaping @Sendable () -> Double,
        now: @escaping @Sendable () -> Double
    ) {
        let pages = database.another(maximumConnections: Self.sessions)
        let acting = database.another(maximumConnections: 1)
        databases = [pages, acting]
        let looks = Looks(clock: clock)
        let desk = ActionDesk(now: now)
        let reader: @Sendable (Person) -> PageReader = { person in
            PageReader(database: pages, looks: looks, desk: desk, person: person)
        }
        let responder = ConsoleResponder(
            door: door, options: options, reader: reader,
            actions: ActionResponder(desk: desk, reader: reader, database: acting), now: now)
        listener = Listener(
            idleSeconds: 60, firstByteSeconds: 10, requestSeconds: 30, maximumConnections: Self.connections,
            whenFull: .closeIdle
        ) { request, connection in responder.plan(request, on: connection) }
    }

    /// Listens.
    ///
    /// - Returns: the port that is in use, once connections are accepted.
    /// - Throws: `ListenFault` when the system refuses the address.
    public func start(host: String, port: Int) async throws(ListenFault) -> Int {
        let channel = try await listener.listen(host: host, port: port)
        return channel.localAddress?.port ?? port
    }

    /// Closes every connection and every session.
    public func stop() async {
        await listener.close()
        for database in databases { await database.close() }
    }
}
