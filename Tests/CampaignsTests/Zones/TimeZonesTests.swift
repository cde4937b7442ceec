import Foundation
import ProgramSupport
import Testing

@testable import Campaigns

@Suite struct TimeZonesTests {
    private func folder() throws -> ScratchDirectory {
        let scratch = try ScratchDirectory()
        try put(TZif(), at: "Etc/UTC", in: scratch)
        return scratch
    }

    private func put(_ file: TZif, at name: String, in scratch: ScratchDirectory) throws {
        let url = scratch.url(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(file.bytes).write(to: url, options: .atomic)
    }

    private func refusal(_ name: String, _ zones: TimeZones = TimeZones()) -> TimeZoneError? {
        #expect(throws: TimeZoneError.self) { try zones.named(name) }
    }

    @Test func theFolderIsThatOfTheCLibrary() {
        #expect(TimeZones(environment: [:]).folder == "/usr/share/zoneinfo")
        #expect(TimeZones(environment: ["TZDIR": ""]).folder == "/usr/share/zoneinfo")
        #expect(TimeZones(environment: ["TZDIR": "/opt/zones"]).folder == "/opt/zones")
    }

    @Test(arguments: [
        "", "/etc/passwd", "../../etc/passwd", "Europe/../Etc/UTC", "Europe/", "Europe//Berlin", "./UTC",
        "Europe Berlin",
        "Europe/Berlin\n", "Europe/Berlin\u{0}", "localtime", "posixrules", "Factory", "right/Europe/Berlin",
        "posix/UTC", ":UTC", "Zürich", String(repeating: "a", count: 65),
    ])
    func whatIsNoNameNeverBecomesAPath(name: String) {
        #expect(refusal(name) == .invalid(name))
    }

    @Test(arguments: [
        ("CET", "Europe/Berlin"), ("EST", "America/New_York"), ("MST", "America/Phoenix (no summer time)"),
        ("cest", "Europe/Paris"), ("PST8PDT", "America/Los_Angeles"), ("IST", "Asia/Kolkata"), ("BST", "Europe/London"),
    ])
    func anAbbreviationIsRefusedWithTheZonesThatAreMeant(name: String, meant: String) throws {
        let error = try #require(refusal(name))
        #expect("\(error)" == "\(name) is an abbreviation, not a time zone")
        #expect(error.hint.contains(meant))
        #expect(!error.isOfThisMachine)
    }

    /// `Etc/GMT+1` is UTC-1.
    @Test(arguments: [
        ("GMT+1", "Etc/GMT-1"), ("gmt-03", "Etc/GMT+3"), ("UTC+10", "Etc/GMT-10"), ("+02:00", "Etc/GMT-2"),
        ("UTC+5:30", nil), ("GMT+15", nil), ("UTC-13", nil),
    ])
    func anOffsetIsRefusedWithTheZoneOfItsClocks(name: String, fixed: String?) throws {
        let error = try #require(refusal(name))
        #expect(error == .offset(name, fixed: fixed))
        #expect("\(error)" == "\(name) is an offset, not a time zone")
        #expect(error.hint.contains("Europe/Berlin"))
        if let fixed { #expect(error.hint.contains("\(name) all year is \(fixed) (its sign is turned round)")) }
    }

    /// Otherwise the hint would lead from one error to the next.
    @Test func everyZoneOfAHintExists() throws {
        let zones = TimeZones()
        for name in [
            "CET", "EET", "WET", "EST", "CST", "MST", "PST", "AST", "IST", "BST", "GST", "AEST", "NZST", "ART",
        ] {
            guard case .abbreviation(_, let meant) = refusal(name, zones) else { continue }
            for zone in meant { _ = try zones.named(String(zone.prefix { $0 != " " })) }
        }
    }

    @Test(arguments: [
        ("Berlin", ["Europe/Berlin"]), ("europe/berlin", ["Europe/Berlin"]), ("Europe/Berlni", ["Europe/Berlin"]),
        ("Asia/Berlin", ["Europe/Berlin"]), ("new_york", ["America/New_York"]), ("Europe/Pariss", ["Europe/Paris"]),
        ("Amsterdm", ["Europe/Amsterdam"]), ("Nowhere/Atall", []),
    ])
    func anUnknownNameGetsTheNearestOnes(name: String, near: [String]) {
        #expect(refusal(name) == .unknown(name, near: near))
    }

    /// Never UTC in silence.
    @Test func aMachineWithoutTzdataSaysSoForEveryZone() throws {
        let scratch = try ScratchDirectory()
        let zones = TimeZones(folder: scratch.path)
        for name in ["UTC", "Europe/Berlin"] {
            let error = try #require(refusal(name, zones))
            #expect(error == .noData(folder: scratch.path))
            #expect(error.isOfThisMachine && error.hint.contains("tzdata"))
        }
        #expect(throws: TimeZoneError.noData(folder: scratch.path)) { try zones.check() }
        try TimeZones().check()
    }

    @Test func aFileIsReadAgainWhenItHasChanged() throws {
        let scratch = try folder()
        let zones = TimeZones(folder: scratch.path)
        try put(TZif(kinds: [(3_600, false, "AAA")], footer: "AAA-1"), at: "Test/Town", in: scratch)
        #expect(try zones.named("Test/Town").period(at: 0).kind.offset == 3_600)
        #expect(try zones.named("Test/Town").period(at: 0).kind.offset == 3_600)
        // Replaced as packages do it: same size, another inode.
        try put(TZif(kinds: [(7_200, false, "AAA")], footer: "AAA-2"), at: "Test/Town", in: scratch)
        #expect(try zones.named("Test/Town").period(at: 0).kind.offset == 7_200)
        try FileManager.default.removeItem(at: scratch.url("Test/Town"))
        #expect(refusal("Test/Town", zones) == .unknown("Test/Town", near: []))
    }

    /// Readers see the old rules or the new ones, while a package replaces the file again and again.
    @Test func manyTasksReadWhileTheFileChanges() async throws {
        let scratch = try folder()
        let zones = TimeZones(folder: scratch.path)
        let both = (1...2).map { TZif(kinds: [($0 * 3_600, false, "AAA")], footer: "AAA-\($0)") }
        try put(both[0], at: "Test/Town", in: scratch)
        try await withThrowingTaskGroup(of: Set<Int>.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var seen: Set<Int> = []
                    for _ in 0..<300 {
                        seen.insert(try zones.named("Test/Town").period(at: 0).kind.offset)
                        _ = try zones.named("Etc/UTC")
                    }
                    return seen
                }
            }
            for round in 1...60 { try put(both[round % 2], at: "Test/Town", in: scratch) }
            for try await seen in group { #expect(seen.isSubset(of: [3_600, 7_200])) }
        }
        #expect(try zones.named("Test/Town").period(at: 0).kind.offset == 3_600)
    }

    @Test func whatIsNoZoneFileIsNamedWithItsPath() throws {
        let scratch = try folder()
        try FileManager.default.createDirectory(at: scratch.url("Europe"), withIntermediateDirectories: true)
        try Data("hello".utf8).write(to: scratch.url("Europe/Berlin"))
        let zones = TimeZones(folder: scratch.path)
        let error = try #require(refusal("Europe/Berlin", zones))
        #expect(error == .broken(path: "\(scratch.path)/Europe/Berlin", .notTZif))
        #expect("\(error)".hasSuffix("/Europe/Berlin is not a time zone file"))
        #expect(error.isOfThisMachine)
        // A folder is no zone.
        #expect(refusal("Europe", zones) == .unknown("Europe", near: []))
    }

    @Test func everyZoneOfThisMachineIsRead() throws {
        let zones = TimeZones()
        let names = zones.names()
        #expect(names.count > 400 && names.contains("Europe/Berlin") && !names.contains("CET"))
        for name in names { _ = try zones.named(name) }
    }
}
