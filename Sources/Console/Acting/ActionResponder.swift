import HTTPServer
import HTTPTypes
import Pages
import Postgres

/// Answers the forms of actions: first the question, then, with its confirmation, the change.
struct ActionResponder: Sendable {
    let desk: ActionDesk
    let numbers = ActionNumbers()
    /// Of pages: the question reads with it.
    let reader: @Sendable (Person) -> PageReader
    /// A session of its own: what a person does waits for no page.
    let database: Database

    /// Forms are small: names, ids and a confirmation.
    static let bodyLimit = 16_384
    /// A statement of an action that takes longer is cancelled; the functions wait 2 s for a lock.
    static let statementSeconds = 30
    /// Most actions are over within this time, and their page then says so at once.
    private static let answerSeconds = 0.3

    /// - Parameter path: the segments behind the base path: `["act", "pause-hub"]`, `["actions", id, "stop"]`.
    func plan(_ path: [String], for visit: Visit) -> RequestPlan {
        if path.count == 3, path[0] == "actions", path[2] == "stop" {
            return .withoutBody(.later { await stop(path[1], visit) })
        }
        guard path.count == 2, path[0] == "act", let action = ActionBook.action(named: path[1]) else {
            return .withoutBody(.answer(Notice.missing(visit)))
        }
        guard visit.person.first(of: action.rights) != nil else {
            return .withoutBody(.answer(Notice.forbidden(action.rights, visit)))
        }
        guard !visit.options.isReadOnly else {
            return .withoutBody(
                .answer(
                    Notice.page("Nobody can change anything here: console.readOnly is on.", "Read only", 403, visit)))
        }
        return .body(limit: Self.bodyLimit) { body in
            guard let bytes = body.bytes else {
                return .answer(Notice.page("A form has at most 16 kB.", "Too large", 413, visit))
            }
            let fields = FormFields(String(decoding: bytes, as: UTF8.self)[...])
            return .later { await answer(action, fields, visit) }
        }
    }

    private func answer(
        _ type: any ConsoleAction.Type, _ fields: FormFields, _ visit: Visit
    ) async -> Response {
        let action: any ConsoleAction
        do throws(FieldProblem) {
            action = try type.init(fields)
        } catch {
            return mend(error, fields, of: type, visit)
        }
        guard let number = fields["confirmation"] else { return await ask(action, visit) }
        if await desk.record(number) != nil { return record(number, visit) }
        guard numbers.isValid(number, for: visit.person.name, type.name, action.fields) else {
            return await ask(action, visit)
        }
        let question = await action.question(reader(visit.person))
        // The other one of two clicks may have begun it meanwhile.
        if await desk.record(number) != nil { return record(number, visit) }
        if question.pointless != nil { return page(question, action, visit) }
        if let typed = question.typed, fields["typed"] != typed {
            return page(question, action, visit, typedProblem: "This is not it. Nothing was done.")
        }
        let isBegun = await desk.begin(
            action, titled: question.title.trimmingSuffix("?"), by: visit.person.name, id: number,
            on: database.framed(by: frame(action, visit.person)))
        guard isBegun else {
            return Notice.page(
                "\(ActionDesk.atOnce) actions are under way, as many as possible. Nothing was done: wait for one, or stop it.",
                "Not done", 503, visit)
        }
        await desk.waitForEnd(of: number, atMost: Self.answerSeconds)
        return record(number, visit)
    }

    /// A person who may act may stop what somebody began: it can be begun again.
    private func stop(_ id: String, _ visit: Visit) async -> Response {
        let acting = Right.allCases.filter { $0 != .look }
        guard visit.canAct(acting) else { return Notice.forbidden(acting, visit) }
        await desk.stop(id)
        return record(id, visit)
    }

    private func ask(_ action: any ConsoleAction, _ visit: Visit) async -> Response {
        let reader = reader(visit.person)
        let action = await action.prepared(reader)
        return page(await action.question(reader), action, visit)
    }

    private func mend(
        _ problem: FieldProblem, _ fields: FormFields, of type: any ConsoleAction.Type, _ visit: Visit
    ) -> Response {
        let content = PageContent(
            title: "Not done", template: "mend", view: MendView(problem, fields, of: type, for: visit),
            liveSeconds: nil)
        return .page(ConsoleTemplates.page(content, at: nil, for: visit), status: 422)
    }

    private func page(
        _ question: Question, _ action: any ConsoleAction, _ visit: Visit, typedProblem: String = ""
    ) -> Response {
        let number = numbers.number(for: visit.person.name, type(of: action).name, action.fields)
        let view = QuestionView(question, action, number: number, typedProblem: typedProblem, for: visit)
        let content = PageContent(
            title: question.title, template: "question", view: view, liveSeconds: nil, troubles: question.troubles,
            elsewhere: question.elsewhere)
        return .page(
            ConsoleTemplates.page(content, at: nil, for: visit), status: typedProblem.isEmpty ? 200 : 422)
    }

    /// After the change the browser asks for its page, so that loading again repeats nothing.
    private func record(_ number: String, _ visit: Visit) -> Response {
        var response = Response(status: 303)
        response.headers[.location] = visit.address("actions", number)
        response.headers[.cacheControl] = "no-store"
        return response
    }

    private func frame(_ action: any ConsoleAction, _ person: Person) -> TransactionFrame {
        TransactionFrame(
            role: person.sharesLogin ? person.first(of: type(of: action).rights)?.role : nil, isReadOnly: false,
            statementTimeout: .seconds(Self.statementSeconds),
            settings: person.sharesLogin ? ["push.person": person.name] : [:])
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
