import Foundation
import PushModel
import Testing

@testable import Campaigns

@Suite struct TimeZoneFileTests {
    /// Kathmandu in short: local mean time, then +05:30, then +05:45 for ever.
    private static let kathmandu = TZif(
        changes: [(-1_577_943_676, 1), (504_901_800, 2)],
        kinds: [(20_476, false, "LMT"), (19_800, false, "+0530"), (20_700, false, "+0545")], footer: "<+0545>-5:45")

    @Test(arguments: ["", "2", "3", "4", "5"])
    func everyVersionIsRead(version: String) throws {
        var file = Self.kathmandu
        file.version = version
        let zone = try TimeZoneFile(file.bytes)
        #expect(zone.period(at: -1_577_943_677).kind.abbreviation == "LMT")
        #expect(zone.period(at: -1_577_943_676).kind.offset == 19_800)
        #expect(zone.period(at: 504_901_799).kind.offset == 19_800)
        #expect(zone.period(at: 504_901_800).kind.offset == 20_700)
        #expect(zone.period(at: 9_000_000_000).kind.abbreviation == "+0545")
        #expect(zone.period(at: .max).kind.offset == 20_700)
        #expect(zone.period(at: .min).kind.offset == 20_476)
    }

    /// The block for old readers may say anything.
    @Test func theWideBlockCounts() throws {
        var file = Self.kathmandu
        file.old = [(0, 0)]
        #expect(try TimeZoneFile(file.bytes) == TimeZoneFile(Self.kathmandu.bytes))
    }

    /// What follows the last change of the file is the rule; where there is no rule, the last kind.
    @Test func theFooterHoldsAfterTheLastChange() throws {
        var file = TZif(
            changes: [(1_711_846_800, 1)], kinds: [(3_600, false, "CET"), (7_200, true, "CEST")],
            footer: "CET-1CEST,M3.5.0,M10.5.0/3")
        let berlin = try TimeZoneFile(file.bytes)
        #expect(berlin.period(at: 1_711_846_799).kind.abbreviation == "CET")
        let summer = berlin.period(at: 1_720_000_000)
        #expect(summer.start == 1_711_846_800 && summer.end == 1_729_990_800)
        #expect(berlin.period(at: 4_102_444_800).kind.abbreviation == "CET")  // 2100-01-01
        file.footer = ""
        #expect(try TimeZoneFile(file.bytes).period(at: 4_102_444_800).kind.abbreviation == "CEST")
    }

    @Test func aFileThatIsCutShortIsRefusedWhereverItEnds() {
        let bytes = Self.kathmandu.bytes
        for length in bytes.indices {
            #expect(throws: TimeZoneFileError.self, "\(length)") { try TimeZoneFile(Array(bytes[..<length])) }
        }
    }

    @Test func brokenFilesAreRefused() {
        func error(_ change: (inout TZif) -> Void) -> TimeZoneFileError? {
            var file = Self.kathmandu
            change(&file)
            return #expect(throws: TimeZoneFileError.self) { try TimeZoneFile(file.bytes) }
        }
        #expect(error { $0.leaps = 27 } == .leapSeconds)
        #expect(error { $0.changes[1].1 = 3 } == .broken("a change names a kind of time that the file lacks"))
        #expect(error { $0.changes.reverse() } == .broken("its changes are not in ascending order"))
        #expect(error { $0.kinds[0].offset = 93_600 } == .broken("a kind of time is out of range"))
        #expect(
            error {
                $0.kinds = []; $0.changes = []
            } == .broken("it has 0 kinds of time"))
        #expect(error { $0.footer = "CET-1CEST" } == .broken("its last line is CET-1CEST"))
        #expect(throws: TimeZoneFileError.notTZif) { try TimeZoneFile(Array("# tzdata.zi".utf8)) }
        #expect(throws: TimeZoneFileError.notTZif) { try TimeZoneFile([]) }
    }

    /// Counts that promise more than there is must not make room for it.
    @Test func damagedFilesNeverCrash() throws {
        let zones = TimeZones()
        var random = SeededRandom(seed: 21)
        for name in ["Europe/Berlin", "Africa/Casablanca", "Etc/UTC"] {
            let bytes = try Array(Data(contentsOf: URL(filePath: "\(zones.folder)/\(name)")))
            for _ in 0..<1_500 {
                var damaged = bytes
                for _ in 0...Int.random(in: 0..<4, using: &random) {
                    damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                guard let zone = try? TimeZoneFile(damaged) else { continue }
                for instant in [Int.min, -4_000_000_000, 0, 1_774_746_000, 7_000_000_000, .max] {
                    let period = zone.period(at: instant)
                    #expect(period.start <= max(instant, ZonePeriod.instants.lowerBound) && period.start < period.end)
                }
            }
        }
    }
}
