import Testing

@testable import CommandLineTool

@Suite struct InstantArgumentTests {
    private func text(_ given: String) throws -> String {
        try InstantArgument(given, for: "--at", now: 1_767_225_600).text
    }

    @Test(arguments: [
        ("+10m", "2026-01-01T00:10:00Z"), ("+30s", "2026-01-01T00:00:30Z"), ("+1h30m", "2026-01-01T01:30:00Z"),
        ("+ 1d", "2026-01-02T00:00:00Z"), ("+90", "2026-01-01T00:01:30Z"), ("+0s", "2026-01-01T00:00:00Z"),
        ("1767225600", "2026-01-01T00:00:00Z"), ("1767225600.25", "2026-01-01T00:00:00.250Z"),
        ("1767225600.9996", "2026-01-01T00:00:01Z"),
    ])
    func aTimeFromNowAndSecondsBecomeATimestamp(given: String, written: String) throws {
        #expect(try text(given) == written)
    }

    @Test(arguments: [
        "2026-11-21T08:00:00+01:00", "2026-11-21 08:00 Europe/Berlin", "tomorrow 08:00 UTC", "20261121T080000Z",
        "infinity", "now", "Nov 21 2026 8:00 PM CET", "2026-11-21T08:00-03", "rubbish",
    ])
    func whatPostgreSQLReadsIsLeftToIt(given: String) throws {
        #expect(try text(given) == given)
    }

    /// The zone of a session would decide, and nobody sees which that is.
    @Test(arguments: [
        "2026-11-21T08:00:00", "2026-11-21 08:00", "2026-11-21", "20261121", "tomorrow", "Today 08:00", "8:00 PM",
        "20261121T080000",
    ])
    func aTimeWithoutAZoneIsRefused(given: String) {
        let failure = #expect(throws: Failure.self) { try text(given) }
        #expect(failure?.complaints.first?.why == "\(given) names no time zone")
    }

    @Test(arguments: ["+", "+10x", "+m", "+1.5h", "+99999999999d", "1767225600000"])
    func aFormThatIsNearlyOursIsRefusedWithAHint(given: String) {
        let failure = #expect(throws: Failure.self) { try text(given) }
        #expect(failure?.complaints.first?.hint != nil)
        #expect(failure?.status == .badInput)
    }
}
