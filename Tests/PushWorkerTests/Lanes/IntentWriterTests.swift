import Postgres
import PushModel
import Synchronization
import Testing

@testable import PushWorker
@testable import Store

/// Intents of many lanes, without a server.
@Suite(.timeLimit(.minutes(10))) struct IntentWriterTests {
    /// Answers when it is told to. What is written alone is answered at once.
    private final class MemoryStore: IntentStore {
        struct Statement: Sendable {
            let claims: [Int64]
            let answer: CheckedContinuation<Result<[Intent?], DatabaseError>, Never>
        }

        private struct State {
            var open: [Statement] = []
            var alone: [Int64] = []
        }

        private let state = Mutex(State())

        /// Claims that were written alone.
        var alone: [Int64] { state.withLock { $0.alone } }

        func intend(
            _ posts: ArraySlice<(n: Int, post: Post)>, under claim: Int64, waits: Bool
        ) async throws(DatabaseError) -> Intent? {
            state.withLock { $0.alone.append(claim) }
            return Intent(written: Set(posts.map(\.n)), cancelled: [])
        }

        func intend(_ portions: [IntentPortion]) async throws(DatabaseError) -> [Intent?] {
            try await withCheckedContinuation { answer in
                state.withLock { $0.open.append(Statement(claims: portions.map(\.claim), answer: answer)) }
            }.get()
        }

        /// Waits until so many statements run, and takes the oldest.
        func next(of running: Int = 1) async -> Statement {
            while true {
                if let first = state.withLock({ $0.open.count >= running ? $0.open.removeFirst() : nil }) {
                    return first
                }
                await Task.yield()
            }
        }
    }

    private func portion(_ claim: Int64) -> IntentPortion {
        IntentPortion(claim: claim, posts: [(1, Post(messages: [claim], target: .tag("World"), body: []))])
    }

    private let written = Intent(written: [1], cancelled: [])

    /// Two statements run, and these portions wait behind them.
    private func behind(
        _ claims: [Int64], _ body: (MemoryStore, [Task<Result<Intent?, DatabaseError>, Never>]) async -> Void
    ) async {
        let store = MemoryStore()
        let writer = IntentWriter(store: store)
        let write = { @Sendable (claim: Int64) in
            Task {
                do throws(DatabaseError) {
                    return Result<Intent?, DatabaseError>.success(try await writer.write(portion(claim)))
                } catch {
                    return .failure(error)
                }
            }
        }
        let first = [write(101), write(102)]
        let running = [await store.next(of: 2), await store.next()]
        var waiting: [Task<Result<Intent?, DatabaseError>, Never>] = []
        for claim in claims {
            waiting.append(write(claim))
            while writer.waiting < waiting.count { await Task.yield() }
        }
        running[0].answer.resume(returning: .success([written]))
        await body(store, waiting)
        running[1].answer.resume(returning: .success([written]))
        for task in first { #expect((try? await task.value.get())??.written == [1]) }
    }

    @Test func whatWaitsSharesAStatementAndEachGetsItsOwnAnswer() async {
        await behind([1, 2, 3]) { store, waiting in
            let statement = await store.next()
            #expect(statement.claims == [1, 2, 3])
            statement.answer.resume(
                returning: .success([written, nil, Intent(written: [], cancelled: [3])]))
            #expect((try? await waiting[0].value.get())??.written == [1])
            guard case .success(nil) = await waiting[1].value else {
                Issue.record("its claim was rescued")
                return
            }
            #expect((try? await waiting[2].value.get())??.cancelled == [3])
            #expect(store.alone == [])
        }
    }

    /// It waits for that session by itself: the others do not.
    @Test func aClaimThatAnotherSessionHoldsIsWrittenAlone() async {
        await behind([1, 2]) { store, waiting in
            let statement = await store.next()
            statement.answer.resume(
                returning: .success([Intent(written: [], cancelled: [], isHeld: true), written]))
            #expect((try? await waiting[1].value.get())??.written == [1])
            #expect((try? await waiting[0].value.get())??.written == [1])
            #expect(store.alone == [1])
        }
    }

    @Test func whatTheDatabaseRefusesInOneStopsNoOther() async {
        await behind([1, 2]) { store, waiting in
            let refusal = DatabaseError(doing: "write intents", sqlState: "23505", message: "clash")
            await store.next().answer.resume(returning: .failure(refusal))
            for task in waiting { #expect((try? await task.value.get())??.written == [1]) }
            #expect(Set(store.alone) == [1, 2])
        }
    }

    /// The connection is gone: each lane knows when to try again.
    @Test func aPassingErrorIsEverybodys() async {
        await behind([1, 2]) { store, waiting in
            let away = DatabaseError(doing: "write intents", message: "away", isTransient: true)
            await store.next().answer.resume(returning: .failure(away))
            for task in waiting {
                guard case .failure(let error) = await task.value else {
                    Issue.record("it succeeded")
                    continue
                }
                #expect(error.isTransient)
            }
            #expect(store.alone == [])
        }
    }
}
