import HTTPServer
import HTTPTypes
import Logging
import Pages
import Postgres

/// Answers requests of one console: who asks, which page, what it shows.
struct ConsoleResponder: Sendable {
    let door: any Door
    let options: ConsoleOptions
    let database: Database
    let looks: Looks
    let mark = PageMark()
    /// Seconds since 1970.
    let now: @Sendable () -> Double

    /// Called on an event loop.
    func plan(_ request: HTTPRequest, on connection: PeerConnection) -> RequestPlan {
        switch door.admit(request, on: connection) {
        case .answered(let plan): plan
        case .person(let person): .withoutBody(plan(request, for: person))
        }
    }

    private func plan(_ request: HTTPRequest, for person: Person) -> ResponsePlan {
        let visit = Visit(person: person, options: options, now: now())
        guard let target = RequestTarget(request.path ?? ""),
            let path = Router.segments(of: target, below: options.basePath)
        else { return .answer(missing(visit)) }
        guard request.method == .get || request.method == .head else {
            var response = notice("This address can only be read.", titled: "Not possible", status: 405, visit)
            response.headers[.allow] = "GET, HEAD"
            return .answer(response)
        }
        if let file = ConsoleFile.response(at: path) { return .answer(file) }
        let fields = FormFields(target.rawQuery.dropFirst())
        guard let page = Router.page(at: path, fields) else { return .answer(missing(visit)) }
        return plan(request, page, visit)
    }

    private func plan(_ request: HTTPRequest, _ page: some ConsolePage, _ visit: Visit) -> ResponsePlan {
        if let right = type(of: page).right, !visit.person.may(right) { return .answer(forbidden(right, visit)) }
        let known = request.headerFields[.ifNoneMatch]
        let reader = PageReader(database: database, looks: looks, person: visit.person)
        return .later { [mark] in
            let content = page.content(of: await page.read(reader), for: visit)
            let html = ConsoleTemplates.page(content, at: type(of: page).place, for: visit)
            var response = Response.page(html, status: content.status)
            let mark = mark.of(html)
            if content.status == 200, mark == known {
                response.status = 304
                response.body = []
            }
            response.headers[.eTag] = mark
            return response
        }
    }

    private func missing(_ visit: Visit) -> Response {
        notice("There is no such page.", titled: "Not found", status: 404, visit)
    }

    private func forbidden(_ right: Right, _ visit: Visit) -> Response {
        notice(
            "This page needs the right \"\(right.rawValue)\", which you do not have. "
                + "About has your rights, and who gives them.",
            titled: "Not allowed", status: 403, visit)
    }

    private func notice(_ words: String, titled title: String, status: Int, _ visit: Visit) -> Response {
        let content = PageContent(
            status: status, title: title, template: "notice", view: NoticeView(words, for: visit))
        return .page(ConsoleTemplates.page(content, at: nil, for: visit), status: status)
    }
}
