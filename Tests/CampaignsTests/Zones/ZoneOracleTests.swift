import Foundation
import ProgramSupport
import TestSupport
import Testing

@testable import Campaigns

/// Python's zoneinfo reads the same files and has to come to the same times.
@Suite struct ZoneOracleTests {
    /// Python 3.9 or newer with cronsim, which bin/setup --test installs.
    static let python = Tool(
        Repository.url(".build-tools/bin/python").path(), check: ["-c", "import cronsim, zoneinfo"])
    private static let conversions = TestDepth.of(30_000, full: 1_000_000)

    @Test(.enabled(if: python.isExpected, Tool.advice))
    func pythonConvertsEveryTimeAlike() async throws {
        let zones = TimeZones()
        let names = zones.names()
        #expect(names.count > 400)
        let ended = try await Self.python(
            ["Tests/Oracles/zones.py", "2026", "\(Self.conversions)"],
            environment: ["PYTHONTZPATH": zones.folder], input: names.joined(separator: "\n"))
        try #require(ended.status == 0, "\(ended.errors)")
        var zone: (name: String, file: TimeZoneFile)?
        var compared = 0
        var wrong: [String] = []
        for line in ended.output.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " "))
            let numbers = words.dropFirst().compactMap { Int(Substring($0)) }
            guard let kind = words.first, kind.count == 1 else {
                let name = String(Substring(line))
                zone = (name, try zones.named(name))
                continue
            }
            let (name, file) = try #require(zone)
            let time = numbers[0]
            let isRight =
                kind.first == UInt8(ascii: "i")
                ? file.period(at: time).kind.offset == numbers[1]
                : Self.instants(file.moment(ofWall: time)) == Array(numbers.dropFirst())
            if !isRight { wrong.append("\(name): \(Substring(line))") }
            compared += 1
        }
        #expect(compared >= Self.conversions)
        if TestDepth.isFull {
            print("zoneinfo: \(compared) conversions in \(names.count) zones, \(wrong.count) differ")
        }
        #expect(wrong.isEmpty, "\(wrong.count) differ: \(wrong.prefix(20).joined(separator: "\n"))")
    }

    private static func instants(_ moment: WallMoment) -> [Int] {
        switch moment {
        case .once(let instant): [instant]
        case .repeated(let instants): instants
        case .skipped: []
        }
    }
}
