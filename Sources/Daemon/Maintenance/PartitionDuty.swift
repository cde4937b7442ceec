import Logging
import Postgres
import Store

/// Makes partitions ahead, and logs it when the schema has become newer than this build.
struct PartitionDuty: Sendable {
    let database: Postgres.Database
    let notice: SchemaNotice
    let log: Logger

    func look() async throws {
        notice.say(try await Schema(database: database).standing(), log: log)
        let made = try await Schema(database: database).makePartitions()
        if made > 0 { log.info("made partitions", metadata: ["count": .stringConvertible(made)]) }
    }
}
