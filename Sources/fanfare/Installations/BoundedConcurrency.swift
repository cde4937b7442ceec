import CommandLineTool
import Daemon
import HTTPTransport
import Providers
import PushModel
import Signing

/// One request for each of many things, some of them at once, until they are done or the hub itself fails.
struct BoundedConcurrency<Thing: Sendable> {
    let errand: InstallationRequests
    /// Requests at once.
    let atOnce: Int
    let request: @Sendable (Thing, Installations, Pass) throws(InvalidInstallation) -> Request

    /// What a thing came to: the hub's answer, or why it could not be asked.
    typealias Outcome = Result<InstallationAnswer, InvalidInstallation>

    /// - Parameter each: called with each outcome as it comes, one after the other, in no particular order.
    /// - Returns: the answer after which nothing more was asked, because it was about the hub; nil: all are done.
    func run(
        _ things: some Sequence<Thing>, each: (Thing, Outcome, _ inFlight: Int) async throws -> Void
    ) async throws -> InstallationAnswer? {
        try await withThrowingTaskGroup(of: (Thing, Outcome).self) { group in
            var inFlight = 0
            var end: InstallationAnswer?
            func take() async throws {
                guard let (thing, outcome) = try await group.next() else { return }
                inFlight -= 1
                if case .success(let answer) = outcome, answer.isAboutTheHub {
                    if end == nil { end = answer }
                } else {
                    try await each(thing, outcome, inFlight)
                }
            }
            var things = things.makeIterator()
            while end == nil, let thing = things.next() {
                inFlight += 1
                group.addTask { [errand, request] in (thing, try await Self.ask(errand, request, thing)) }
                if inFlight == atOnce { try await take() }
            }
            while inFlight > 0 { try await take() }
            return end
        }
    }

    private static func ask(
        _ errand: InstallationRequests,
        _ request: @escaping @Sendable (Thing, Installations, Pass) throws(InvalidInstallation) -> Request,
        _ thing: Thing
    ) async throws -> Outcome {
        do {
            return .success(
                try await errand.run { installations, pass throws(InvalidInstallation) in
                    try request(thing, installations, pass)
                })
        } catch let error as InvalidInstallation {
            return .failure(error)
        }
    }
}

extension InstallationAnswer {
    /// The hub, our key or the way there is what failed, not the one installation that was asked about.
    var isAboutTheHub: Bool {
        if isMissing { return false }
        return switch verdict {
        case .accepted, .targetGone, .targetInvalid, .tooLarge, .rejected: false
        case .throttled, .unavailable, .authExpired, .authFailed, .hubNotFound, .quotaExceeded, .notSent, .unknown: true
        }
    }

    /// Only hubs of this kind have installations.
    func ending(hub: String) -> HubEnding {
        let remedies = HubRemedies(of: HubSettings(name: hub, kind: .notificationHubs))
        return verdict.ending(remedies, http: answer.status, repeatable: true)
    }

    /// - Parameter doing: `cannot read installation "x"`.
    func failure(_ doing: String, hub: String) -> Failure {
        let ending = ending(hub: hub)
        let support = answer.tracking.map { " (tracking id \($0))" } ?? ""
        return Failure(
            doing, because: (ending.because ?? ending.word) + support, hint: ending.hint, status: ending.status)
    }
}
