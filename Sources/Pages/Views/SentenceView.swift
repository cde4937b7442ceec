import PushModel

/// A text for people in which times may stand: the template `sentence`. Each time is shown in the zone of the page, as `moment` does.
/// Pure.
package struct SentenceView: Sendable {
    struct Piece {
        /// Empty where it is a time.
        let pieceText: String
        let pieceMoment: MomentView?
    }

    let pieces: [Piece]

    /// - Parameter text: times are those of RFC 3339 in UTC, such as `2027-01-15T08:00:30Z`; a fraction is left out.
    package init(_ text: String) {
        var pieces: [Piece] = []
        let bytes = Array(text.utf8)
        // What is in no piece yet begins here.
        var start = 0
        var place = 0
        while let begin = bytes[place...].firstIndex(where: Self.isDigit) {
            place = begin + 1
            guard let end = Self.endOfTime(in: bytes, from: begin),
                let seconds = Expiry(String(decoding: bytes[begin..<end], as: UTF8.self))?.seconds, seconds.isFinite
            else { continue }
            pieces.append(Piece(pieceText: String(decoding: bytes[start..<begin], as: UTF8.self), pieceMoment: nil))
            pieces.append(Piece(pieceText: "", pieceMoment: MomentView(seconds)))
            (start, place) = (end, end)
        }
        pieces.append(Piece(pieceText: String(decoding: bytes[start...], as: UTF8.self), pieceMoment: nil))
        self.pieces = pieces
    }

    /// - Returns: nil: there is no text.
    package init?(orNil text: String?) {
        guard let text, !text.isEmpty else { return nil }
        self.init(text)
    }

    /// Byte by byte: by a `Regex`, the sentences of a page with 50 hubs took 8 ms.
    private static func endOfTime(in bytes: [UInt8], from begin: Int) -> Int? {
        var end = begin + shape.count
        guard end < bytes.count,
            zip(bytes[begin...], shape).allSatisfy({ $1 == UInt8(ascii: "0") ? isDigit($0) : $0 == $1 })
        else { return nil }
        if bytes[end] == UInt8(ascii: ".") {
            let fraction = bytes[(end + 1)...].prefix(while: isDigit)
            guard !fraction.isEmpty else { return nil }
            end = fraction.endIndex
        }
        return end < bytes.count && bytes[end] == UInt8(ascii: "Z") ? end + 1 : nil
    }

    /// Where it has 0, a time has a digit.
    private static let shape = Array("0000-00-00T00:00:00".utf8)

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
