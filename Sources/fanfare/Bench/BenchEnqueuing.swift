import PushWorker
import Postgres

/// What the database takes for a statement, a commit and an INSERT of messages.
struct BenchEnqueuing: Sendable {
    let database: Database
    let plan: BenchPlan

    /// Rows one statement of `bulk` adds.
    private static let chunk = 1_000

    /// `SELECT 1`, in one session.
    func roundTrips() async throws -> Samples {
        try await singles { connection, _ in try await connection.execute("SELECT 1") }
    }

    /// A small row into a bare table: a round trip and a commit.
    func bareInserts() async throws -> Samples {
        try await database.script(
            "CREATE SCHEMA bench; CREATE TABLE bench.line (n int NOT NULL)", doing: "make a table")
        return try await singles { connection, n in
            try await connection.execute("INSERT INTO bench.line VALUES (\(Int32(n)))")
        }
    }

    /// Messages, one a statement, in one session.
    func inserts() async throws -> Samples {
        try await singles { connection, n in try await Self.insert(n, in: connection) }
    }

    /// The same in several sessions.
    ///
    /// - Returns: messages a second.
    func insertsAtOnce() async throws -> Double {
        let began = Clock.system.monotonic()
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<plan.sessions {
                group.addTask {
                    try await singles { connection, n in try await Self.insert(n, in: connection) }.count
                }
            }
            return try await group.reduce(0, +)
        }
        return Double(counts) / (Clock.system.monotonic() - began)
    }

    /// Messages by `INSERT … SELECT`, 1,000 a statement, each for another tag and with a text of its own.
    ///
    /// - Returns: messages a second.
    func bulk(_ count: Int) async throws -> Double {
        let began = Clock.system.monotonic()
        for first in stride(from: 1, through: count, by: Self.chunk) {
            let last = min(count, first + Self.chunk - 1)
            try await database.execute(
                """
                INSERT INTO push.message (hub, tag, content)
                SELECT \(BenchEnvironment.hub), 'user:' || n,
                       json_build_object('title', 'Your parcel', 'message', 'Parcel ' || n || ' arrives between 2 and 4 pm.')
                  FROM generate_series(\(Int32(first)), \(Int32(last))) n
                """, doing: "enqueue messages")
        }
        return Double(count) / (Clock.system.monotonic() - began)
    }

    /// One message, as a backend enqueues it.
    func insert(_ n: Int) async throws {
        try await database.withConnection { connection in try await Self.insert(n, in: connection) }
    }

    private static func insert(_ n: Int, in connection: Connection) async throws {
        let content = "{\"title\": \"Your parcel\", \"message\": \"Parcel \(n) arrives between 2 and 4 pm.\"}"
        try await connection.execute(
            "INSERT INTO push.message (hub, tag, content) VALUES (\(BenchEnvironment.hub), \("user:\(n)"), \(content)::json)",
            doing: "enqueue a message")
    }

    /// Times one statement again and again in one session, the first ten left out: they open and prepare.
    private func singles(_ statement: @Sendable (Connection, Int) async throws -> Void) async throws -> Samples {
        try await database.withConnection { connection in
            let warmUp = min(10, plan.singles)
            for n in 0..<warmUp { try await statement(connection, n) }
            var seconds: [Double] = []
            let until = Clock.system.monotonic() + plan.secondsOfSingles
            while seconds.count < plan.singles, seconds.isEmpty || Clock.system.monotonic() < until {
                let began = Clock.system.monotonic()
                try await statement(connection, warmUp + seconds.count)
                seconds.append(Clock.system.monotonic() - began)
            }
            return Samples(seconds)
        }
    }
}
