import Foundation
import Testing

@testable import Files

@Suite struct BoundedFileTests {
    private let scratch: ScratchDirectory

    init() throws { scratch = try ScratchDirectory() }

    @Test func aFileUpToTheLimitIsReadWhole() throws {
        let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        let path = try scratch.write(content, to: "file")
        #expect(try BoundedFile.bytes(of: path) == content)
        #expect(try BoundedFile.bytes(of: path, limit: 200_000) == content)
        #expect(throws: FileFault.tooLarge(limit: 199_999)) { try BoundedFile.bytes(of: path, limit: 199_999) }
        #expect(try BoundedFile.bytes(of: try scratch.write([], to: "empty"), limit: 0) == [])
    }

    @Test func aPipeIsReadToItsEnd() throws {
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(Data("hello".utf8))
        try pipe.fileHandleForWriting.close()
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        #expect(try BoundedFile.bytes(from: descriptor) == Array("hello".utf8))
    }

    @Test func aFaultSaysWhy() throws {
        let file = try scratch.write([1], to: "file")
        #expect(throws: FileFault.missing(ENOENT)) { try BoundedFile.bytes(of: scratch.path + "/none") }
        #expect(throws: FileFault.missing(ENOTDIR)) { try BoundedFile.bytes(of: file + "/none") }
        #expect(throws: FileFault.failed(EISDIR)) { try BoundedFile.bytes(of: scratch.path) }
        #expect("\(FileFault.missing(ENOENT))" == "does not exist")
        #expect("\(FileFault.failed(EISDIR))" == "cannot be read (Is a directory)")
        #expect("\(FileFault.tooLarge(limit: 5))" == "has more than 5 bytes")
        #expect(FileFault.missing(ENOTDIR).reason == "Not a directory")
    }

    @Test func theTailIsTheLastBytesOfAFile() throws {
        let path = try scratch.write(Array("first\nlast\n".utf8), to: "log")
        #expect(BoundedFile.tail(of: path, count: 5) == "last\n")
        #expect(BoundedFile.tail(of: path) == "first\nlast\n")
        #expect(BoundedFile.tail(of: try scratch.write([], to: "empty")) == "")
        #expect(BoundedFile.tail(of: scratch.path + "/none") == "")
    }
}
