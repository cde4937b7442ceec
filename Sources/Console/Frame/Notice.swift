import HTTPServer
import Pages

/// Pages of one sentence: why there is no other one.
enum Notice {
    static func missing(_ visit: Visit) -> Response { page("There is no such page.", "Not found", 404, visit) }

    /// - Parameter rights: one of them is needed.
    static func forbidden(_ rights: [Right], _ visit: Visit) -> Response {
        let names = rights.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
        return page(
            "This needs the right \(names), which you do not have. About has your rights, and who gives them.",
            "Not allowed", 403, visit)
    }

    static func page(_ words: String, _ title: String, _ status: Int, _ visit: Visit) -> Response {
        let content = PageContent(
            status: status, title: title, template: "notice", view: NoticeView(words, for: visit),
            liveSeconds: nil)
        return .page(ConsoleTemplates.page(content, at: nil, for: visit), status: status)
    }
}
