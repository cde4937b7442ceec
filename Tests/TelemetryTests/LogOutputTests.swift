import Foundation
import Testing

@testable import Telemetry

@Suite struct LogOutputTests {
    @Test func aDescriptorIsTheJournalOnlyWhenTheVariableNamesIt() throws {
        let (reader, writer) = try pipe()
        defer { [reader, writer].forEach { close($0) } }
        var status = stat()
        #expect(fstat(writer, &status) == 0)
        let journal = "\(status.st_dev):\(status.st_ino)"
        #expect(LogOutput(descriptor: writer, journal: journal).isJournal)
        #expect(!LogOutput(descriptor: writer, journal: "\(status.st_dev):\(status.st_ino + 1)").isJournal)
        #expect(!LogOutput(descriptor: writer, journal: "").isJournal)
        #expect(!LogOutput(descriptor: writer, journal: nil).isJournal)
        #expect(!LogOutput(descriptor: writer, journal: nil).isTerminal)
    }

    @Test func aTerminalIsRecognised() throws {
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(terminal >= 0)
        defer { close(terminal) }
        #expect(LogOutput(descriptor: terminal, journal: nil).isTerminal)
    }

    /// Longer than a pipe takes at once, from threads of their own, into a pipe that does not block.
    @Test func linesOfManyThreadsNeverMix() throws {
        let (reader, writer) = try pipe()
        #expect(fcntl(writer, F_SETFL, O_NONBLOCK) == 0)
        let output = LogOutput(descriptor: writer, journal: nil)
        for letter in UInt8(ascii: "a")...UInt8(ascii: "h") {
            Thread.detachNewThread {
                for _ in 0..<4 { output.write([UInt8](repeating: letter, count: 100_000) + [UInt8(ascii: "\n")]) }
            }
        }
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while received.count < 32 * 100_001, case let count = read(reader, &buffer, buffer.count), count > 0 {
            received.append(contentsOf: buffer[..<count])
        }
        [reader, writer].forEach { close($0) }
        let lines = received.split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == 32)
        #expect(lines.allSatisfy { line in line.count == 100_000 && line.allSatisfy { $0 == line.first } })
    }

    @Test func aBrokenPipeLosesTheLineAndNothingElse() throws {
        signal(SIGPIPE, SIG_IGN)
        let (reader, writer) = try pipe()
        close(reader)
        defer { close(writer) }
        LogOutput(descriptor: writer, journal: nil).write([1, 2, 3])
    }

    private func pipe() throws -> (reader: Int32, writer: Int32) {
        var ends: [Int32] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
        return (ends[0], ends[1])
    }
}
