import Pages

/// `/actions`: what persons did here since the console was started; `/actions/ID`: one of them, while it goes on and afterwards.
struct ActionsPage: ConsolePage {
    static let place: Place? = nil
    static let rights: [Right] = []

    /// Of one action; nil: all of them.
    let id: String?

    init?(path: [String], fields: FormFields) {
        guard path.first == "actions", path.count <= 2 else { return nil }
        id = path.count == 2 ? path[1] : nil
    }

    func read(_ reader: PageReader) async -> [ActionRecord] {
        guard let id else { return await reader.desk.all() }
        return await reader.desk.record(id).map { [$0] } ?? []
    }

    func content(of records: [ActionRecord], for visit: Visit) -> PageContent {
        guard id != nil else {
            return PageContent(
                title: "Actions", template: "actions", view: ActionsView(records, for: visit),
                elsewhere: [Elsewhere(sql: "SELECT * FROM push.audit ORDER BY id DESC LIMIT 50")])
        }
        guard let record = records.first else {
            let words =
                "This action is not known here: it is long ago, or the console was started again since. "
                + "The audit log has everything that was done."
            return PageContent(
                status: 404, title: "Unknown action", template: "notice", view: NoticeView(words, for: visit))
        }
        return PageContent(
            title: record.title, template: "action", view: ActionView(record, for: visit),
            liveSeconds: record.isOver ? nil : 2)
    }
}
