import CommandLineTool
import ArgumentParser
import Postgres
import Store

/// `fanfare migrate status`
struct MigrateStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the version of the schema and which migrations it has.",
        discussion: "Example: fanfare migrate status --json")

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        try await options.withDatabase(of: try options.settings(.database)) { database in
            let schema = Schema(database: database)
            let standing = try await schema.standing()
            let applied = try await schema.applied()
            try StandardStreams.print(json.isOn ? document(standing, applied).document : text(standing, applied))
        }
    }

    private func text(_ standing: Schema.Standing, _ applied: [Schema.Applied]) -> String {
        var table = TextTable([
            .number("VERSION"), .text("NAME"), .text("APPLIED AT"), .text("BY"), .text("FANFARE"),
        ])
        for migration in applied {
            table.add([
                "\(migration.version)", migration.name,
                HumanFormat.time(secondsSince1970: migration.at.secondsSince1970),
                migration.by, migration.appVersion ?? "psql",
            ])
        }
        let line =
            switch standing {
            case .current(let version): "schema push is at version \(version), as this fanfare needs"
            case .absent: "\(SchemaError.absent)"
            case .older(let has, let needs): "\(SchemaError.older(has: has, needs: needs))"
            case .newer: standing.notice ?? ""
            case .tooNew(let has, let knows, let worksFrom):
                "\(SchemaError.newer(has: has, knows: knows, worksFrom: worksFrom))"
            }
        return table.isEmpty ? line : line + "\n\n" + table.onScreen
    }

    private func document(_ standing: Schema.Standing, _ applied: [Schema.Applied]) -> JSONOutput {
        let word =
            switch standing {
            case .current: "current"
            case .absent: "absent"
            case .older: "older"
            case .newer: "newer"
            case .tooNew: "too_new"
            }
        return .object([
            "standing": .text(word), "version": .number(applied.last?.version),
            "needed": .number(Migration.all.last?.version), "works_from": .number(applied.map(\.worksFrom).max()),
            "migrations": .list(
                applied.map { migration in
                    .object([
                        "version": .number(migration.version), "name": .text(migration.name),
                        "works_from": .number(migration.worksFrom),
                        "applied_at": .text(HumanFormat.time(secondsSince1970: migration.at.secondsSince1970)),
                        "applied_by": .text(migration.by), "app_version": .text(migration.appVersion),
                        "sha256": .text(migration.sha256),
                    ])
                }),
        ])
    }
}
