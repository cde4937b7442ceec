import ProgramSupport
import Testing

/// Every command says of a database without the schema what there is to do, and ends with 78.
@Suite struct MissingSchemaTests {
    @Test(arguments: [
        "run", "drain", "status", "enqueue --hub news --tag A --content {}", "message list",
        "message show 1", "message cancel 1", "message retry 1", "message erase 1", "doubt list",
        "doubt resolve 1 --decision accepted", "hub list", "hub show news", "hub pause news", "hub rotate news",
        "hub add news", "hub remove news", "device list", "rescue 1", "eta --hub news", "purge --older-than 30d",
        "campaign list", "campaign events", "migrate reference", "suppress list", "plan --due", "plan --file -",
        "plan --message 1", "plan --campaign spring",
    ])
    func itIsNamedWithItsRemedy(command: String) async throws {
        let site = try await Site.make(migrated: false)
        let ended = try await site.fanfare.run(command.split(separator: " ").map(String.init))
        #expect(ended.status == 78, "\(ended)")
        #expect(ended.errors.contains("run `fanfare migrate up`"), "\(ended)")
    }
}
