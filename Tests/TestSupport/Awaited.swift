/// Looks again and again until something holds. Between two looks there is a breath: what is waited for needs the machine,
/// and a hundred tests that look without one leave little of it.
public struct Awaited: Error, CustomStringConvertible {
    let what: String
    let seen: String

    /// What a test says that is out of time.
    public var description: String { "waited in vain for: \(what); seen at last: \(seen)" }

    /// - Parameters:
    ///   - what: for whoever finds the test at its time limit.
    ///   - look: what it saw, and whether that is enough.
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
