import CommandLineTool
import ArgumentParser
import Postgres
import PushModel
import Store

/// `fanfare migrate status`
struct MigrateStatus: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the release of the schema, its files, and what migrate up would run.",
        discussion: "Example: fanfare migrate status --json")

    @OptionGroup var options: ReportOptions

    func report() async throws -> Report {
        try await options.common.withDatabase(of: try options.common.settings(.database)) { database in
            let schema = Schema(database: database)
            let standing = try await schema.standing()
            let isThere = standing != .absent && standing != .unreleased
            let shown = Shown(
                standing: standing, releases: try await schema.releases(),
                files: isThere ? try await schema.applied() : [], pending: try await schema.pending())
            return Report(fitting: shown.text, shown.document)
        }
    }

    private struct Shown {
        let standing: Schema.Standing
        let releases: [Schema.Release]
        let files: [Schema.Applied]
        /// What `migrate up` would run.
        let pending: [SchemaFile]

        func text(fitting width: Int?) -> String {
            var lines = [line]
            if !files.isEmpty, !pending.isEmpty {
                let paths = pending.map(\.path)
                let shown = paths.count > 8 ? paths.prefix(3) + ["…", paths[paths.count - 1]] : paths[...]
                lines.append("fanfare migrate up would run \(paths.count) files: \(shown.joined(separator: ", "))")
            }
            if files.isEmpty { return lines.joined(separator: "\n") }
            let table = TextTable(
                [.text("FILE"), .text("APPLIED AT"), .text("BY"), .text("FANFARE")],
                rows: files.map {
                    let at = HumanFormat.time(secondsSince1970: $0.at.secondsSince1970)
                    return [$0.path, at, $0.by, $0.appVersion ?? "psql"]
                })
            return lines.joined(separator: "\n") + "\n\n" + table.text(fitting: width)
        }

        private var line: String {
            if let refusal = standing.refusal { return "\(refusal)" }
            if let notice = standing.notice { return notice }
            return "schema push is of release \(releases.last?.number ?? 0), as this fanfare needs"
        }

        private var word: String {
            switch standing {
            case .current: "current"
            case .absent: "absent"
            case .unreleased: "unreleased"
            case .older: "older"
            case .newer: "newer"
            case .tooNew: "too_new"
            }
        }

        var document: JSONOutput {
            func stamp(_ at: Timestamp) -> JSONOutput { .text(HumanFormat.time(secondsSince1970: at.secondsSince1970)) }
            return .object([
                "standing": .text(word), "release": .number(releases.last?.number),
                "needed": .number(Schema.release), "works_from": .number(releases.map(\.worksFrom).max()),
                "pending": .list(pending.map { .text($0.path) }),
                "releases": .list(
                    releases.map { release in
                        .object([
                            "release": .number(release.number), "works_from": .number(release.worksFrom),
                            "applied_at": stamp(release.at), "applied_by": .text(release.by),
                            "app_version": .text(release.appVersion),
                        ])
                    }),
                "files": .list(
                    files.map { file in
                        .object([
                            "path": .text(file.path), "applied_at": stamp(file.at), "applied_by": .text(file.by),
                            "app_version": .text(file.appVersion), "sha256": .text(file.sha256),
                        ])
                    }),
            ])
        }
    }
}
