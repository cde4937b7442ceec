import PushModel
import Store

extension MessageSearch {
    /// The filter as an argument of `push.search_messages_v1`, for people: `json_build_object('hub', 'news')`.
    ///
    /// - Parameter id: only this message; nil (default): any.
    func filterSQL(id: Int64? = nil) -> String {
        let texts: [(String, String?)] = [
            ("hub", hub), ("status", status), ("reason", reason), ("tag", tag), ("campaign", campaign), ("run", run),
            ("tenant", tenant), ("dedupe_key", dedupeKey),
        ]
        var arguments = texts.compactMap { name, value in value.map { "'\(name)', \(SQLText.literal($0))" } }
        for (name, time) in [("since", since), ("until", until)] {
            if let time { arguments.append("'\(name)', \(FilterTime.sql(time))") }
        }
        if let id { arguments.append("'id', \(id)") }
        return "json_build_object(\(arguments.joined(separator: ", ")))"
    }
}
