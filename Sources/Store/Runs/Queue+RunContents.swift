import Postgres
import PushModel

extension Queue {
    /// What the runs of these streams say: by stream, the same content for all streams of a run.
    ///
    /// - Parameter streams: as `Message.stream`; those that do not exist any more are left out of the answer.
    public func runContents(of streams: [Int64]) async throws(DatabaseError) -> [Int64: RunContent] {
        try await database.query(Self.contents(of: streams), doing: "read what campaigns say", Self.runContents)
    }

    static func contents(of streams: [Int64]) -> SQL {
        """
        SELECT of_streams, id, format, headers, fallback, locale, content
          FROM push_worker.run_contents_v1(\(streams))
        """
    }

    static func runContents(_ rows: borrowing Rows) throws -> [Int64: RunContent] {
        struct Line {
            let streams: [Int64]
            let id: Int64
            let format: String
            let headers: String?
            let fallback: String?
            let locale: String
            let content: String
        }
        let lines = try rows.map { row in
            Line(
                streams: try row.int64Array(), id: try row.int64(), format: try row.string(),
                headers: try row.stringOrNil(), fallback: try row.stringOrNil(), locale: try row.string(),
                content: try row.string())
        }
        var contents: [Int64: RunContent] = [:]
        for lines in Dictionary(grouping: lines, by: \.id).values {
            let content = RunContent(
                id: lines[0].id, format: lines[0].format, headers: lines[0].headers, fallback: lines[0].fallback,
                texts: Dictionary(lines.map { ($0.locale, $0.content) }) { first, _ in first })
            for stream in lines[0].streams { contents[stream] = content }
        }
        return contents
    }
}
