import Concurrency
import Postgres

/// Carries out what persons confirmed: one transaction after the other, in the background, so that an action goes on when its tab is closed.
/// It ends with the process; what it did stays done, and the same action can be begun again.
actor ActionDesk {
    /// Actions under way at once. More are refused, so that pages and workers keep their share of the database.
    static let atOnce = 4
    /// Actions that are remembered, with those under way.
    static let remembered = 200

    private var records: [String: ActionRecord] = [:]
    /// Of those under way.
    private var ends: [String: Latch] = [:]
    /// By their age.
    private var order: [String] = []
    private let warnings: SpokenWarnings
    private let looks: Looks
    private let now: @Sendable () -> Double
    /// One step at a time: they share a session, and so it is known whose step a warning is of.
    private let turn = AsyncLock(())

    /// - Parameters:
    ///   - looks: of pages: none from before an action's end is shown after it.
    ///   - warnings: what the server warns of in the session of actions. Default: it is not listened to.
    ///   - now: seconds since 1970.
    init(
        _ looks: Looks, warnings: SpokenWarnings = SpokenWarnings(), now: @escaping @Sendable () -> Double
    ) {
        self.looks = looks
        self.warnings = warnings
        self.now = now
    }

    /// Begins an action.
    ///
    /// - Parameters:
    ///   - id: the number of its confirmation. One that was begun is not begun again.
    ///   - database: with the rights of the person.
    /// - Returns: false when as many as possible are under way; nothing was begun.
    func begin(
        _ action: any ConsoleAction, titled title: String, by person: String, id: String, on database: Database
    ) -> Bool {
        if records[id] != nil { return true }
        guard records.values.count(where: { !$0.isOver }) < Self.atOnce else { return false }
        records[id] = ActionRecord(
            id: id, title: title, person: person, page: action.page, filters: ActionForm.fields(action.filtersAfter),
            began: now(), form: ActionForm(action))
        ends[id] = Latch()
        order.append(id)
        forgetOldest()
        Task { await carryOut(action, id, database) }
        return true
    }

    /// Nil: none of that id was begun, or it was long ago.
    func record(_ id: String) -> ActionRecord? { records[id] }

    /// Returns when an action is over, and otherwise after some seconds.
    func waitForEnd(of id: String, atMost seconds: Double) async { await ends[id]?.wait(atMost: seconds) }

    /// The newest first.
    func all() -> [ActionRecord] { order.reversed().compactMap { records[$0] } }

    /// Runs a change of one transaction in the session of actions, between two of their steps. What the server warns of meanwhile is
    /// no remark of an action. No page shows a look from before it, also where it failed: it may have been done.
    func between<Value: Sendable>(_ change: @Sendable () async throws -> Value) async rethrows -> Value {
        await turn.take()
        do {
            let value = try await change()
            await endOfChange()
            return value
        } catch {
            await endOfChange()
            throw error
        }
    }

    private func endOfChange() async {
        _ = warnings.take()
        turn.pass(())
        await looks.forget()
    }

    /// Ends an action after the step that is under way.
    func stop(_ id: String) {
        if records[id]?.isOver == false { records[id]?.state = .stopping }
    }

    private func carryOut(_ action: any ConsoleAction, _ id: String, _ database: Database) async {
        var mark: String?
        repeat {
            do throws(DatabaseError) {
                let step = try await step(of: action, database, mark, id)
                note(step, of: id)
                mark = step.next
            } catch  where error.isTransient && mark != nil {
                // Steps can be repeated: what was changed is not found again.
                await wait(for: database, because: error, id)
            } catch {
                return await end(id, as: .failed(words: error.message, hint: error.hint))
            }
            if records[id]?.state == .stopping { return await end(id, as: .stopped) }
        } while mark != nil
        await end(id, as: .done)
    }

    private func step(
        of action: any ConsoleAction, _ database: Database, _ mark: String?, _ id: String
    ) async throws(DatabaseError) -> ActionStep {
        await turn.take()
        defer {
            records[id]?.add(warnings.take())
            turn.pass(())
        }
        return try await action.step(database, after: mark)
    }

    private func note(_ step: ActionStep, of id: String) {
        records[id]?.changed += step.changed
        if let page = step.page {
            records[id]?.page = page
            records[id]?.filters = []
        }
        if let remark = step.remark { records[id]?.add([remark]) }
    }

    private func wait(for database: Database, because error: DatabaseError, _ id: String) async {
        guard records[id]?.state == .working || records[id]?.state == .waiting(error.why) else { return }
        records[id]?.state = .waiting(error.why)
        await database.waitUntilBack(atMost: 5)
        if case .waiting = records[id]?.state { records[id]?.state = .working }
    }

    private func end(_ id: String, as state: ActionRecord.State) async {
        await looks.forget()
        records[id]?.state = state
        records[id]?.ended = now()
        ends.removeValue(forKey: id)?.happen()
    }

    private func forgetOldest() {
        while order.count > Self.remembered, let index = order.firstIndex(where: { records[$0]?.isOver != false }) {
            records[order.remove(at: index)] = nil
        }
    }
}
