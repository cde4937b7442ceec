import Foundation
import ProgramSupport
import PushModel
import Testing

@testable import Campaigns

@Suite struct ZoneComparisonTests {
    private static let start = instant(2026, 1, 1)
    private static let span = start..<start + ZoneComparison.reach
    private static let berlin = "CET-1CEST,M3.5.0,M10.5.0/3"

    private static func instant(_ year: Int, _ month: Int, _ day: Int, hour: Int = 0) -> Int {
        CivilDate(year: year, month: month, day: day).daysSince1970 * 86_400 + hour * 3_600
    }

    /// A zone that has followed a rule for ever.
    private static func rules(_ rule: String) throws -> TimeZoneFile {
        try TimeZoneFile(TZif(kinds: [(0, false, "UTC")], footer: rule).bytes)
    }

    private static func zone(_ rule: String, _ name: String = "Europe/Berlin") throws -> ZoneComparison.Zone {
        ZoneComparison.Zone(name, try rules(rule), in: span)
    }

    /// What another database says of the same instants.
    private static func there(_ rule: String, _ zone: ZoneComparison.Zone) throws -> [String: [Int]] {
        let rules = try rules(rule)
        return [zone.name: zone.instants.map { rules.period(at: $0).kind.offset }]
    }

    @Test func eachMonthAndEachChangeOfTwoYearsIsCompared() throws {
        let zone = try Self.zone(Self.berlin)
        let changes = [
            Self.instant(2026, 3, 29, hour: 1), Self.instant(2026, 10, 25, hour: 1), Self.instant(2027, 3, 28, hour: 1),
            Self.instant(2027, 10, 31, hour: 1),
        ]
        let noons = (0..<24).map { Self.instant(2026 + $0 / 12, $0 % 12 + 1, 15, hour: 12) }
        #expect(zone.instants == (noons + changes.flatMap { [$0 - 1, $0, $0 + 1] }).sorted())
        #expect(zone.offsets.count == zone.instants.count && Set(zone.offsets) == [3_600, 7_200])
        #expect(try Self.zone("UTC0").instants == noons)
    }

    @Test(arguments: [
        (berlin, nil),
        // Summer time was abolished, or holds all year.
        ("CET-1", "2026-03-29T01:00:00Z: +02:00 here, +01:00"), ("CEST-2", "2026-01-15T12:00:00Z: +01:00 here, +02:00"),
        // It begins a week sooner or later, ends a week sooner, an hour later.
        ("CET-1CEST,M3.4.0,M10.5.0/3", "2026-03-29T00:59:59Z: +01:00 here, +02:00"),
        ("CET-1CEST,M4.1.0,M10.5.0/3", "2026-03-29T01:00:00Z: +02:00 here, +01:00"),
        ("CET-1CEST,M3.5.0,M10.4.0/3", "2027-10-31T00:59:59Z: +02:00 here, +01:00"),
        ("CET-1CEST,M3.5.0,M10.5.0/4", "2026-10-25T01:00:00Z: +01:00 here, +02:00"),
    ])
    func anotherRuleIsFoundWhereItBegins(rule: String, found: String?) throws {
        let zone = try Self.zone(Self.berlin)
        let differences = ZoneComparison([zone], used: []).differences(from: try Self.there(rule, zone))
        #expect(differences.map(\.description) == found.map { ["Europe/Berlin at \($0) in PostgreSQL"] } ?? [])
    }

    @Test func whatPostgreSQLLacksCountsIfItIsInUse() throws {
        let zones = [try Self.zone("UTC0", "Test/Used"), try Self.zone("UTC0", "US/Old")]
        let differences = ZoneComparison(zones, used: ["Test/Used"]).differences(from: [:])
        #expect(differences == [.unknownThere("Test/Used")])
        #expect(differences.map(\.description) == ["there is no time zone Test/Used in PostgreSQL"])
    }

    @Test func whatThisMachineLacksCountsIfItIsInUse() throws {
        let scratch = try ScratchDirectory()
        for name in ["Etc/UTC", "Europe/Kyiv"] {
            let url = scratch.url(name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(TZif().bytes).write(to: url)
        }
        // CET is no zone of ours, and stands as it is beside recipients: only PostgreSQL reads it.
        let ours = ZoneComparison(
            of: TimeZones(folder: scratch.path), used: ["Europe/Paris", "Europe/Kyiv", "CET"], now: Self.start)
        #expect(ours.zones.map(\.name) == ["Europe/Kyiv", "Etc/UTC"], "those in use first")
        let same = Dictionary(uniqueKeysWithValues: ours.zones.map { ($0.name, $0.offsets) })
        #expect(
            ours.differences(from: same).map(\.description) == ["there is no time zone Europe/Paris here"])
    }
}
