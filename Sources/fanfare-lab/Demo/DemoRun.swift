import CommandLineTool
import Foundation
import HubEmulator
import Postgres

/// The demo from an empty server to the last claim. Prints each step as it happens, unless the output is for a program.
struct DemoRun: Sendable {
    /// nil: nothing is printed.
    let page: DemoPage?
    /// nil: the story is all.
    let load: DemoLoad?
    let signals: CleanupSignals

    func story(at environment: DemoEnvironment) async throws -> DemoResults {
        var facts = DemoResults()
        try show { $0.statements(facts.stories) }
        for story in facts.stories {  // news breaks one at a time: each has left before the next comes in
            try await environment.database.script(story.statement, doing: "enqueue a story")
            try await environment.drained()
        }

        let queries = DemoQueries(environment: environment)
        facts.posts = try await queries.posts()
        facts.shown = try queries.shown()
        facts.results = try await queries.results()
        facts.warnings = environment.emulator.warnings.map(\.text)
        facts.latency = try await queries.latency()
        try show { $0.posts(facts) }
        try show { $0.phones(facts) }
        try show { $0.results(facts) }

        if let load {
            try show { $0.load(load) }
            var ticker = page.map { DemoTicker($0.style) }
            if page != nil { try StandardStreams.print("") }
            let outcome = try await load.run(at: environment) { progress in
                if signals.isLeaving { throw CancellationError() }
                try ticker?.show(progress)
            }
            facts.load = outcome
            try show { $0.loadResult(outcome, processors: ProcessInfo.processInfo.activeProcessorCount) }
        }
        facts.lost = try await queries.lost()
        try show { $0.claims(facts) }
        return facts
    }

    /// - Throws: what `StandardStreams.print` throws; `CancellationError` when a signal is ending the demo.
    func show(_ part: (DemoPage) -> String) throws {
        if signals.isLeaving { throw CancellationError() }
        if let page { try StandardStreams.printStyled(part(page)) }
    }
}
