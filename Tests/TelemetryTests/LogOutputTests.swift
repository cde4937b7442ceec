import Foundation
import Testing

@testable import Telemetry

@Suite struct LogOutputTests {
    @Test func onlyTheNamedDescriptorIsTheJournal() throws {
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

    /// Lines longer than a pipe takes at once, from several threads, into a non-blocking pipe.
    @Test func linesOfManyThreadsNeverMix() throws {
        let (reader, writer) = try pipe()
        #expect(fcntl(writer, F_SETFL, O_NONBLOCK) == 0)
        let output = LogOutput(descriptor: writer, journal: nil, patience: -1)
        let writers = DispatchGroup()
        for letter in UInt8(ascii: "a")...UInt8(ascii: "h") {
            writers.enter()
            Thread.detachNewThread {
                let line = [UInt8](repeating: letter, count: 100_000) + [UInt8(ascii: "\n")]
                for _ in 0..<4 { output.write(line) }
                writers.leave()
            }
        }
        // Reading ends with the last writer.
        writers.notify(queue: .global()) { close(writer) }
        var received = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(reader, &buffer, buffer.count), count > 0 { received.append(buffer, count: count) }
        close(reader)
        // Compares whole lines: byte by byte takes minutes under a sanitizer.
        var lines: [UInt8: Int] = [:]
        for start in stride(from: 0, to: received.count, by: 100_001) {
            let line = received[start...].prefix(100_001)
            let letter = try #require(line.first)
            #expect(line == Data(repeating: letter, count: 100_000) + Data("\n".utf8))
            lines[letter, default: 0] += 1
        }
        #expect(lines.count == 8 && lines.values.allSatisfy { $0 == 4 })
    }

    @Test func aBrokenPipeLosesOnlyTheLine() throws {
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
