import Foundation

extension Report {
    /// For people.
    public var text: String {
        var lines = [
            "Seed \(options.seed), \(Int(options.seconds)) s, \(options.workers) workers, "
                + "\(options.isAsynchronous ? "asynchronous" : "synchronous") standby", "", "Injuries",
        ]
        for kind in InjectedFault.Kind.allCases {
            guard let injection = injections[kind] else { continue }
            lines.append(
                Self.line(
                    kind.rawValue, injection.count, "the hub took nothing for at most \(Self.seconds(injection.worst))")
            )
        }
        lines += ["", "People"] + actions.sorted { $0.key < $1.key }.map { Self.line($0.key, $0.value) }
        for hub in TestHub.allCases {
            guard let summary = hubs[hub.rawValue] else { continue }
            lines += ["", "Messages of \(hub.title)"]
            lines += summary.states.sorted { $0.key < $1.key }.map { Self.line($0.key, $0.value) }
            lines.append(Self.line("sends that it saw", summary.sends, "\(summary.taken) taken"))
            if hub.kind == .fcm { lines.append(Self.line("access tokens that it gave out", accessTokens)) }
        }
        lines += ["", "Changes of devices"] + changes.sorted { $0.key < $1.key }.map { Self.line($0.key, $0.value) }
        lines += [
            "", "Posts", Self.line("written down", posts), Self.line("messages ever in doubt", doubted),
            Self.line("messages in doubt now", inDoubt), Self.line("INSERTs confirmed", confirmed, "rows"),
            Self.line("INSERTs without an answer", unconfirmed), "",
            "Rescue of a killed worker took at most \(Self.seconds(rescues.max() ?? 0)), its lease included.",
            "Everything came to rest \(Self.seconds(restSeconds)) after the last fault.",
        ]
        if let slowestUrgent {
            lines.append(
                "Beside bulk posts of \(UrgentTraffic.bulkSeconds) s an urgent message left at most \(Int(slowestUrgent * 1_000)) ms after its INSERT."
            )
        }
        let troubles = troubles + untried.map { "\($0) took nothing, so the run proves nothing about it" }
        lines += troubles.isEmpty ? [] : ["", "Trouble"] + troubles.map { "  \($0)" }
        lines += ["", "Promises"]
        for promise in Violation.Promise.allCases {
            let broken = breaches.filter { $0.promise == promise }
            lines.append("  \(broken.isEmpty ? "kept  " : "BROKEN") \(promise.rawValue)")
            lines += broken.prefix(10).map { "           \($0)" }
            if broken.count > 10 { lines.append("           and \(broken.count - 10) more") }
        }
        if options.isAsynchronous {
            lines += ["", "Lost by fail-overs to a standby that had not received everything"]
            for (name, promise) in Self.lossNames {
                lines.append(Self.line(name, Set(losses.filter { $0.promise == promise }.map(\.detailed)).count))
            }
        }
        return lines.joined(separator: "\n")
    }

    private static let lossNames: [(String, Violation.Promise)] = [
        ("confirmed INSERTs", .nothingConfirmedIsMissing), ("messages sent again", .nothingIsRepeated),
        ("posts without a record", .everyPostIsWrittenDown), ("cancellations", .cancelledMeansUnsent),
        ("erasures", .erasedMeansGone), ("confirmed changes of devices", .changesEndOnce),
        ("devices changed by what is lost", .devicesAreAsAsked),
    ]

    static func line(_ name: String, _ count: Int, _ more: String = "") -> String {
        "  " + name.padding(toLength: 46, withPad: " ", startingAt: 0) + String(format: "%8d", count)
            + (more.isEmpty ? "" : "  \(more)")
    }

    static func seconds(_ seconds: Double) -> String { String(format: "%.1f s", seconds) }

    /// For programs.
    public var json: String {
        get throws {
            let form = Form(
                seed: "\(options.seed)", seconds: options.seconds, workers: options.workers,
                asynchronous: options.isAsynchronous,
                injections: injections.map {
                    .init(kind: $0.key.rawValue, count: $0.value.count, longestSilenceSeconds: $0.value.worst)
                }
                .sorted { $0.kind < $1.kind },
                people: actions, messages: states,
                hubs: hubs.mapValues { .init(messages: $0.states, sends: $0.sends, taken: $0.taken) },
                accessTokens: accessTokens, changes: changes, posts: posts,
                sends: hubs.values.reduce(0) { $0 + $1.sends }, taken: hubs.values.reduce(0) { $0 + $1.taken },
                everInDoubt: doubted,
                confirmed: confirmed, unconfirmed: unconfirmed, worstRescueSeconds: rescues.max() ?? 0,
                slowestUrgentSeconds: slowestUrgent, restSeconds: restSeconds, troubles: troubles,
                violations: breaches.map {
                    .init(promise: $0.promise.rawValue, message: $0.message, detail: $0.detail)
                },
                losses: losses.map {
                    .init(promise: $0.promise.rawValue, message: $0.message, detail: $0.detail)
                },
                good: isGood)
            return try form.report
        }
    }

    private struct Form: Encodable {
        struct FaultSummary: Encodable {
            var kind: String
            var count: Int
            var longestSilenceSeconds: Double
        }
        struct Hub: Encodable {
            var messages: [String: Int]
            var sends: Int
            var taken: Int
        }
        struct Break: Encodable {
            var promise: String
            var message: Int64?
            var detail: String
        }
        /// A string: many JSON readers lose digits of a 64-bit number.
        var seed: String
        var seconds: Double
        var workers: Int
        var asynchronous: Bool
        var injections: [FaultSummary]
        var people: [String: Int]
        /// Of all hubs.
        var messages: [String: Int]
        var hubs: [String: Hub]
        var accessTokens: Int
        /// Of devices, by their final result.
        var changes: [String: Int]
        var posts: Int
        var sends: Int
        var taken: Int
        var everInDoubt: Int
        var confirmed: Int
        var unconfirmed: Int
        var worstRescueSeconds: Double
        var slowestUrgentSeconds: Double?
        var restSeconds: Double
        var troubles: [String]
        var violations: [Break]
        /// What fail-overs to a lagging standby lost.
        var losses: [Break]
        var good: Bool
    }
}
