/// Polls until a condition holds, with a short pause between two looks: a hundred tests that poll without one leave little
/// of the machine to what they wait for.
public struct Awaited: Error, CustomStringConvertible {
    let what: String
    let seen: String

    /// What a test reports when it is out of time.
    public var description: String { "waited in vain for: \(what); last seen: \(seen)" }

    /// - Parameters:
    ///   - what: names the condition when the test runs out of time.
    ///   - look: returns what it saw, and whether that is enough.
    /// - Throws: what `look` throws; `Awaited` when the test is out of time.
    public static func until<Seen>(
        _ what: String, _ look: () async throws -> (seen: Seen, holds: Bool)
    ) async throws {
        var seen = "nothing"
        do {
            while true {
                let next = try await look()
                if next.holds { return }
                seen = "\(next.seen)"
                try await Task.sleep(for: .milliseconds(5))
            }
        } catch {
            guard Task.isCancelled else { throw error }
            throw Awaited(what: what, seen: seen)
        }
    }
}
