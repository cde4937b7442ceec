import Foundation
import Testing

@testable import Files

@Suite struct AtomicFileTests {
    private let scratch: ScratchDirectory

    init() throws { scratch = try ScratchDirectory() }

    private func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test(arguments: [true, false])
    func theFileAppearsWithCommitAndReplacesTheOldOne(isDurable: Bool) throws {
        let path = try scratch.write(Array("old".utf8), to: "file")
        let content = (0..<600_000).map { UInt8(truncatingIfNeeded: $0) }  // more than the buffer
        do {
            let file = try AtomicFile(path, mode: 0o604)
            for start in stride(from: 0, to: content.count, by: 100_000) {
                try file.append(content[start..<(start + 100_000)])
            }
            #expect(try BoundedFile.bytes(of: path) == Array("old".utf8))
            try file.commit(isDurable: isDurable)
        }
        #expect(try BoundedFile.bytes(of: path) == content)
        #expect(try mode(of: path) == 0o604)
        #expect(try scratch.names() == ["file"])
    }

    @Test func aDraftThatIsNotCommittedIsRemoved() throws {
        let path = try scratch.write(Array("old".utf8), to: "file")
        do {
            let file = try AtomicFile(path, mode: 0o600)
            try file.append([1, 2, 3])
            #expect(try scratch.names() == ["file", "file.new"])
        }
        #expect(try scratch.names() == ["file"])
        #expect(try BoundedFile.bytes(of: path) == Array("old".utf8))
    }

    @Test func aDraftOfAKilledProcessIsReplaced() throws {
        let path = scratch.path + "/file"
        let victim = try scratch.write(Array("victim".utf8), to: "victim")
        try FileManager.default.createSymbolicLink(atPath: path + ".part", withDestinationPath: victim)
        let file = try AtomicFile(path, draft: path + ".part", mode: 0o600)
        try file.append(Array("new".utf8))
        try file.commit(isDurable: false)
        #expect(try BoundedFile.bytes(of: path) == Array("new".utf8))
        #expect(try BoundedFile.bytes(of: victim) == Array("victim".utf8), "a link is not followed")
        #expect(try scratch.names() == ["file", "victim"])
    }

    @Test func aPlaceThatCannotBeWrittenIsAFault() throws {
        #expect(throws: FileFault.missing(ENOENT)) { try AtomicFile(scratch.path + "/none/file", mode: 0o600) }
        try FileManager.default.createDirectory(
            atPath: scratch.path + "/taken/x", withIntermediateDirectories: true)
        let file = try AtomicFile(scratch.path + "/taken", mode: 0o600)
        #expect(throws: FileFault.failed(EISDIR)) { try file.commit(isDurable: false) }
    }
}
