import CNghttp2

/// Header lines as nghttp2 takes them: names in lower case, nothing copied. They live as long as this object.
///
/// Never changed after `init`: any thread may read them.
final class HeaderFields: Sendable {
    // Written in `init` alone, before anybody else has the object.
    nonisolated(unsafe) let all: UnsafeBufferPointer<nghttp2_nv>
    // The same; `all` points into it.
    private nonisolated(unsafe) let text: UnsafeMutableRawBufferPointer
    let hasUserAgent: Bool

    init(_ lines: [HeaderLine]) {
        let bytes = lines.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        let text = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes), alignment: 1)
        let fields = UnsafeMutableBufferPointer<nghttp2_nv>.allocate(capacity: lines.count)
        var end = 0
        for (index, line) in lines.enumerated() {
            let name = FieldText.copy(line.name, to: text, at: &end, lowerCased: true)
            let value = FieldText.copy(line.value, to: text, at: &end)
            let field = FieldText.field(name, value, flags: FieldText.nameStays | FieldText.valueStays)
            fields.initializeElement(at: index, to: field)
        }
        self.text = text
        all = UnsafeBufferPointer(fields)
        hasUserAgent = lines.contains { $0.name.lowercased() == "user-agent" }
    }

    deinit {
        all.deallocate()
        text.deallocate()
    }
}

/// Copies texts of header fields side by side.
enum FieldText {
    /// nghttp2 may borrow it instead of copying.
    static let nameStays = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)
    static let valueStays = UInt8(NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)
    static let notIndexed = UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue)

    static func copy(
        _ string: String, to target: UnsafeMutableRawBufferPointer, at end: inout Int, lowerCased: Bool = false
    ) -> UnsafeMutableRawBufferPointer {
        var string = string
        return string.withUTF8 { bytes in
            let place = UnsafeMutableRawBufferPointer(rebasing: target[end..<end + bytes.count])
            place.copyMemory(from: UnsafeRawBufferPointer(bytes))
            if lowerCased {
                for index in 0..<place.count
                where place[index] >= UInt8(ascii: "A") && place[index] <= UInt8(ascii: "Z") {
                    place[index] |= 0x20
                }
            }
            end += bytes.count
            return place
        }
    }

    static func field(
        _ name: UnsafeMutableRawBufferPointer, _ value: UnsafeMutableRawBufferPointer, flags: UInt8
    ) -> nghttp2_nv {
        nghttp2_nv(
            name: name.baseAddress?.assumingMemoryBound(to: UInt8.self),
            value: value.baseAddress?.assumingMemoryBound(to: UInt8.self), namelen: name.count, valuelen: value.count,
            flags: flags)
    }
}
