import HTTPServer
import Logging
import NIOCore
import Pages
import Postgres
import Synchronization

/// The pages of an installation, on a listener of their own: nothing of it is shared with the health pages of a worker.
public final class Console: Sendable {
    private let listener: Listener
    private let databases: [Database]
    private let options: SharedOptions
    private let socket = Mutex<(any Channel)?>(nil)

    /// Connections open at once; the one that has been idle longest makes room for another.
    private static let connections = 200

    /// Sessions for pages, and for actions beside them: what a person does waits for no page.
    public static let sessions = (pages: 2, acting: 1)

    /// - Parameters:
    ///   - door: who decides about each request before it is answered.
    ///   - pages: reads; with as many sessions as `sessions` has. The console closes it.
    ///   - acting: changes; the same.
    ///   - warnings: gets what the server warns of on `acting`.
    ///   - clock: seconds that never go back.
    ///   - now: seconds since 1970.
    package init(
        _ options: ConsoleOptions, behind door: any Door, pages: Database, acting: Database, warnings: SpokenWarnings,
        clock: @escaping @Sendable () -> Double, now: @escaping @Sendable () -> Double
    ) {
        databases = [pages, acting]
        let shared = SharedOptions(options)
        self.options = shared
        let looks = Looks(clock: clock)
        let desk = ActionDesk(looks, warnings: warnings, now: now)
        let reader: @Sendable (Person) -> PageReader = { person in
            PageReader(
                database: pages, looks: looks, desk: desk, person: person,
                statementSeconds: shared.current.statementSeconds)
        }
        let responder = ConsoleResponder(
            door: door, options: shared, reader: reader,
            actions: ActionResponder(desk: desk, reader: reader, database: acting), now: now)
        listener = Listener(
            idleSeconds: 60, firstByteSeconds: 10, requestSeconds: 30, maximumConnections: Self.connections,
            whenFull: .closeIdle
        ) { request, connection in responder.plan(request, on: connection) }
    }

    /// From the next request on. The base path stays: addresses that are open lead to it.
    public func replace(_ options: ConsoleOptions) {
        var options = options
        options.basePath = self.options.current.basePath
        self.options.replace(options)
    }

    /// Listens.
    ///
    /// - Returns: the port that is in use, once connections are accepted.
    /// - Throws: `ListenFault` when the system refuses the address.
    public func start(host: String, port: Int) async throws(ListenFault) -> Int {
        let channel = try await listener.listen(host: host, port: port)
        socket.withLock { $0 = channel }
        return channel.localAddress?.port ?? port
    }

    /// Closes every connection and every session, and returns when the port is free.
    public func stop() async {
        let channel = socket.withLock { $0 }
        // The only error here means that it is closed already.
        try? await channel?.close()
        await listener.close()
        for database in databases { await database.close() }
    }
}
