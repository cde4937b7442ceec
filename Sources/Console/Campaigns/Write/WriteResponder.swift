import HTTPServer
import HTTPTypes
import Pages
import Postgres
import Signing
import Store

/// Answers the form of a campaign: shows what it would be, or keeps it. The answer is the page with all that was typed.
struct WriteResponder: Sendable {
    let desk: ActionDesk
    let reader: @Sendable (Person) -> PageReader
    /// The session of actions: what a person saves waits for no page.
    let database: Database

    /// A spec has at most 1 MB, and a form writes three bytes for each byte of most alphabets.
    static let bodyLimit = 4 * 1_048_576
    /// A statement that looks at what is typed and takes longer is cancelled: one of a spec of 1 MB takes longer than those of pages.
    private static let lookSeconds = 5

    /// - Parameter path: the segments behind the base path.
    /// - Returns: nil: the address has no such form.
    func plan(_ path: [String], for visit: Visit) -> RequestPlan? {
        guard let page = CampaignWritePage(path: path, fields: FormFields("")) else { return nil }
        guard visit.person.maySee(CampaignWritePage.self) else {
            return .withoutBody(.answer(Notice.forbidden(CampaignWritePage.rights, visit)))
        }
        guard !visit.options.isReadOnly else {
            return .withoutBody(
                .answer(
                    Notice.page("Nobody can change anything here: console.readOnly is on.", "Read only", 403, visit)))
        }
        return .body(limit: Self.bodyLimit) { body in
            guard let bytes = body.bytes else {
                return .answer(
                    Notice.page(
                        "A form has at most 4 MB, and a spec 1 MB. Recipients stand in a list or a view, not in a spec.",
                        "Too large", 413, visit))
            }
            return .later { await answer(page, bytes, visit) }
        }
    }

    private func answer(_ page: CampaignWritePage, _ bytes: [UInt8], _ visit: Visit) async -> Response {
        var post: WritePost
        do throws(FieldProblem) {
            post = try WritePost(FormFields(String(decoding: bytes, as: UTF8.self)[...]))
        } catch {
            return Notice.page(error.words, "Not saved", 400, visit)
        }
        let reader = reader(visit.person)
        async let choices = WriteChoices.read(reader)
        var written: CampaignStore.Written?
        if let campaign = page.campaign {
            switch await CampaignWritePage.written(campaign, reader) {
            case .read(nil): return show(page.content(of: .missing, for: visit), visit)
            case .read(let found): written = found
            // It is tried without: what was typed must not be lost.
            case .unread: break
            }
        }
        let why = post.arrange()
        var state = WriteState(
            campaign: page.campaign, post: post, choices: await choices, written: written,
            problems: why.map { [SpecProblem(words: $0)] } ?? [])
        let isSaving = post.deed == .save || post.deed == .draft
        do throws(SpecFault) {
            let spec = try post.spec()
            if isSaving, let saved = await save(spec, &state, reader, visit) { return saved }
            if state.look == nil { state.look = await look(at: spec, state, reader, visit.person) }
        } catch {
            if why == nil { state.problems.append(SpecProblem(words: error.words)) }
        }
        state.problems += state.payloadProblems
        state.isRefused = isSaving && !state.isUncertain
        return show(CampaignWritePage.content(of: state, for: visit), visit, status: state.status)
    }

    // MARK: Saving

    /// - Returns: nil: it was not saved, and the state says why.
    private func save(_ spec: String, _ state: inout WriteState, _ reader: PageReader, _ visit: Visit) async
        -> Response?
    {
        let name = state.campaign ?? state.post.name
        let isDraft = state.post.deed == .draft
        // PostgreSQL would take such a payload for a text.
        guard isDraft || state.payloadProblems.isEmpty else { return nil }
        let base = state.post.base
        let database = database.framed(by: frame(visit.person, seconds: ActionResponder.statementSeconds))
        do {
            let saved = try await desk.between {
                try await CampaignStore(database: database).save(name, spec: spec, draft: isDraft, over: base)
            }
            switch saved {
            case .saved: return leave(to: name, visit)
            case .changedMeanwhile(let revision):
                state.conflict = await conflict(name, base: base, newest: revision, reader)
                state.post.base = revision == 0 ? nil : revision
            }
        } catch let error as DatabaseError {
            if let problem = SpecProblem(error) {
                state.problems.append(problem)
            } else {
                state.look = SpecLook(troubles: [Trouble("saving it", error)])
                // Lost on the way back, it may be kept: saving it again then changes nothing, or shows it as changed meanwhile.
                state.isUncertain = error.isTransient && error.doing == "commit"
            }
        } catch {
            state.look = SpecLook(troubles: [Trouble("saving it", .other, "\(error)")])
        }
        return nil
    }

    private func conflict(_ name: String, base: Int32?, newest: Int32, _ reader: PageReader) async -> WriteConflict {
        var conflict = WriteConflict(revision: newest, base: base)
        guard newest > 0, case .read(let now?) = await CampaignWritePage.written(name, revision: newest, reader),
            // What is kept is JSON; one that nests too deep cannot be compared.
            let theirs = try? SpecText(now.spec)
        else { return conflict }
        guard let base else {
            conflict.changes = SpecChange.all(from: nil, to: theirs)
            return conflict
        }
        if case .read(let then?) = await CampaignWritePage.written(name, revision: base, reader),
            // As above.
            let mine = try? SpecText(then.spec)
        {
            conflict.changes = SpecChange.all(from: mine, to: theirs)
        }
        return conflict
    }

    private func leave(to campaign: String, _ visit: Visit) -> Response {
        var response = Response(status: 303)
        response.headers[.location] = visit.existing(["campaigns", campaign]) ?? visit.address("campaigns")
        response.headers[.cacheControl] = "no-store"
        return response
    }

    // MARK: Looking

    private func look(at spec: String, _ state: WriteState, _ reader: PageReader, _ person: Person) async -> SpecLook {
        let isNamed = state.campaign == nil && !state.post.name.isEmpty && state.post.base == nil
        let scratch = "look-" + RandomBytes.make(16).map { String(UInt8($0) % 36, radix: 36) }.joined()
        var look = await SpecLook.at(
            spec, named: isNamed ? state.post.name : nil, scratch: scratch, properties: state.post.properties,
            reader.database.framed(by: frame(person, seconds: Self.lookSeconds)))
        // Said already.
        look.problems.removeAll { state.problems.contains($0) }
        return look
    }

    private func frame(_ person: Person, seconds: Int) -> TransactionFrame {
        TransactionFrame(
            role: person.sharesLogin ? Right.campaigns.role : nil, isReadOnly: false,
            statementTimeout: .seconds(seconds), settings: person.sharesLogin ? ["push.person": person.name] : [:])
    }

    private func show(_ content: PageContent, _ visit: Visit, status: Int? = nil) -> Response {
        .page(ConsoleTemplates.page(content, at: .campaigns, for: visit), status: status ?? content.status)
    }
}

extension WriteState {
    fileprivate var payloadProblems: [SpecProblem] {
        form.payloadProblems.sorted { $0.key < $1.key }.map { index, words in
            SpecProblem(path: "content." + SpecText.string(form.languages[index].locale), words: words)
        }
    }

    fileprivate var status: Int { conflict != nil ? 409 : isUncertain ? 503 : isRefused ? 422 : 200 }
}
