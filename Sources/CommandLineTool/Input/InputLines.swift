import Glibc

/// The lines of a file, one after the other, without reading it whole; `-` is standard input. Blank lines are passed
/// over. A line ends with LF or CR LF; where the first one ends with CR alone, as old Macs wrote it, all do.
package final class InputLines: Sequence, IteratorProtocol {
    package struct Line: Sendable {
        /// From 1.
        package let number: Int
        /// Without its end.
        package let bytes: [UInt8]
    }

    /// Bytes one line may have; a longer one ends the reading.
    package static let limit = 4_194_304

    /// What ended the reading before the end of the file.
    package private(set) var failure: Failure?
    private let path: String
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var start = 0
    private var number = 0
    private var isAtEnd = false
    /// LF or CR; nil until the first line is read.
    private var lineEnd: UInt8?

    /// - Throws: `Failure` when it cannot be opened.
    package init(_ path: String) throws(Failure) {
        self.path = path
        descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.unreadable(path, errno) }
    }

    deinit {
        if descriptor > STDIN_FILENO { close(descriptor) }
    }

    package func next() -> Line? {
        while failure == nil, let line = nextLine() {
            if !line.bytes.allSatisfy({ $0 <= 0x20 }) { return line }
        }
        return nil
    }

    private func nextLine() -> Line? {
        var looked = start
        while true {
            if let end = end(from: looked) {
                defer { start = end + 1 }
                return line(buffer[start..<end])
            }
            looked = lineEnd == nil ? start : buffer.count
            if isAtEnd {
                defer { start = buffer.count }
                return start == buffer.count ? nil : line(buffer[start...])
            }
            guard buffer.count - start <= Self.limit else {
                failure = Failure(
                    "\(InputFile.name(path)), line \(number + 1)",
                    because: "it has more than \(Self.limit) bytes", status: .badInput)
                return nil
            }
            looked -= start
            buffer.removeFirst(start)
            start = 0
            read()
            if failure != nil { return nil }
        }
    }

    /// Where the line ends; nil: not in what was read.
    private func end(from looked: Int) -> Int? {
        if lineEnd == nil {
            let first = buffer[looked...].firstIndex { $0 == 0x0A || $0 == 0x0D }
            guard let first, first + 1 < buffer.count || isAtEnd || buffer[first] == 0x0A else { return nil }
            let isAlone = buffer[first] == 0x0D && (first + 1 == buffer.count || buffer[first + 1] != 0x0A)
            lineEnd = isAlone ? 0x0D : 0x0A
        }
        return lineEnd.flatMap { buffer[looked...].firstIndex(of: $0) }
    }

    /// - Returns: nil for the first line of a file in another encoding.
    private func line(_ bytes: ArraySlice<UInt8>) -> Line? {
        number += 1
        var bytes = bytes
        do throws(Failure) {
            if number == 1 { bytes = try ByteOrderMark.removed(from: bytes, of: path) }
        } catch {
            failure = error
            return nil
        }
        return Line(number: number, bytes: Array(bytes.last == 0x0D ? bytes.dropLast() : bytes))
    }

    private func read() {
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count > 0 { return buffer.append(contentsOf: piece[..<count]) }
            if count == 0 {
                isAtEnd = true
                return
            }
            if errno != EINTR {
                failure = Self.unreadable(path, errno)
                return
            }
        }
    }

    private static func unreadable(_ path: String, _ code: Int32) -> Failure {
        Failure("cannot read \(InputFile.name(path))", because: String(cString: strerror(code)), status: .badInput)
    }
}
