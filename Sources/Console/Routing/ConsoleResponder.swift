import HTTPServer
import HTTPTypes
import Pages

/// Answers requests of one console: who asks, which page, what it shows.
struct ConsoleResponder: Sendable {
    let door: any Door
    let options: SharedOptions
    let reader: @Sendable (Person) -> PageReader
    let actions: ActionResponder
    let mark = PageMark()
    let sent = SentPages()
    /// Seconds since 1970.
    let now: @Sendable () -> Double

    /// Called on an event loop.
    func plan(_ request: HTTPRequest, on connection: PeerConnection) -> RequestPlan {
        switch door.admit(request, on: connection) {
        case .answered(let plan): plan
        case .person(let person): plan(request, for: person)
        }
    }

    private func plan(_ request: HTTPRequest, for person: Person) -> RequestPlan {
        var visit = Visit(person: person, options: options.current, now: now())
        guard let target = RequestTarget(request.path ?? ""),
            let path = Router.segments(of: target, below: visit.options.basePath)
        else { return .withoutBody(.answer(Notice.missing(visit))) }
        visit.query = String(target.rawQuery.dropFirst())
        if request.method == .post {
            let writing = WriteResponder(desk: actions.desk, reader: reader, database: actions.database)
            return writing.plan(path, for: visit) ?? actions.plan(path, for: visit)
        }
        guard request.method == .get || request.method == .head else {
            var response = Notice.page("This address can only be read.", "Not possible", 405, visit)
            response.headers[.allow] = "GET, HEAD, POST"
            return .withoutBody(.answer(response))
        }
        return .withoutBody(plan(request, target, path, visit))
    }

    private func plan(
        _ request: HTTPRequest, _ target: RequestTarget, _ path: [String], _ visit: Visit
    ) -> ResponsePlan {
        if let file = ConsoleFile.response(at: path) { return .answer(file) }
        let fields = FormFields(target.rawQuery.dropFirst())
        guard let page = Router.page(at: path, fields) else { return .answer(Notice.missing(visit)) }
        return plan(request, page, visit)
    }

    private func plan(_ request: HTTPRequest, _ page: some ConsolePage, _ visit: Visit) -> ResponsePlan {
        if !visit.person.maySee(type(of: page)) {
            let home = Router.home(of: visit.person)
            // A person of campaigns who opens the console is led to what is theirs.
            if page is OverviewPage, home != .overview { return .answer(redirect(to: home, visit)) }
            return .answer(Notice.forbidden(type(of: page).rights, visit))
        }
        let known = request.headerFields[.ifNoneMatch]
        let reader = reader(visit.person)
        let key = SentPages.Key(person: visit.person, options: visit.options, target: request.path ?? "")
        return .later { [mark, sent] in
            if let known, await sent.isStill(known, key, in: reader.looks) { return Self.same(known) }
            let content = page.content(of: await page.read(reader), for: visit)
            let html = ConsoleTemplates.page(content, at: type(of: page).place, for: visit)
            let mark = mark.of(html)
            if content.status == 200 {
                await sent.keep(mark, of: key, madeOf: reader.taken.all)
                if mark == known { return Self.same(mark) }
            }
            var response = Response.page(html, status: content.status)
            response.headers[.eTag] = mark
            return response
        }
    }

    /// - Parameter mark: of the page that the browser has.
    private static func same(_ mark: String) -> Response {
        var response = Response.page("", status: 304)
        response.headers[.eTag] = mark
        return response
    }

    private func redirect(to place: Place, _ visit: Visit) -> Response {
        var response = Notice.page("This page is for others.", "Another page", 303, visit)
        response.headers[.location] = ConsoleAddress.text(base: visit.options.basePath, place.path, [])
        return response
    }
}
