/// A page with one sentence and a way on.
struct NoticeView {
    let noticeWords: String
    let noticeAddress: String
    let noticeLink: String

    /// - Parameter visit: whose way on is the first page that the person may see.
    init(_ words: String, for visit: Visit) {
        noticeWords = words
        let first = Router.home(of: visit.person)
        noticeAddress = ConsoleAddress.text(base: visit.options.basePath, first.path, [])
        noticeLink = first.name
    }
}
