import Postgres
import PushModel

extension Queue {
    /// What runs say, by the ids that their messages have in `Message.runContent`.
    public func runContents(_ ids: [Int64]) async throws(DatabaseError) -> [RunContent] {
        struct Line: Sendable {
            let id: Int64
            let format: String
            let headers: String?
            let fallback: String?
            let locale: String
            let content: String
        }
        let lines = try await database.query(
            "SELECT id, format, headers, fallback, locale, content FROM push_worker.run_contents_v1(\(ids))",
            doing: "read what campaigns say"
        ) { rows in
            try rows.map { row in
                Line(
                    id: try row.int64(), format: try row.string(), headers: try row.stringOrNil(),
                    fallback: try row.stringOrNil(), locale: try row.string(), content: try row.string())
            }
        }
        return Dictionary(grouping: lines, by: \.id).values.map { lines in
            RunContent(
                id: lines[0].id, format: lines[0].format, headers: lines[0].headers, fallback: lines[0].fallback,
                texts: Dictionary(lines.map { ($0.locale, $0.content) }) { first, _ in first })
        }
    }
}
