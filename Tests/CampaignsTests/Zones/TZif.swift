@testable import Campaigns

/// Makes the bytes of a time zone file.
struct TZif {
    var version = "2"
    /// Instant and number of the kind.
    var changes: [(Int, UInt8)] = []
    var kinds: [(offset: Int, isDaylight: Bool, name: String)] = [(0, false, "UTC")]
    var footer = "UTC0"
    var leaps = 0
    /// What the block for 32 bits holds; nil: nothing, as `zic -b slim` writes it.
    var old: [(Int, UInt8)]?

    var bytes: [UInt8] {
        guard version != "" else { return header(0) + block(4, changes) }
        let version = Array(version.utf8)[0]
        var bytes: [UInt8]
        if let old {
            var narrow = self
            narrow.changes = old
            bytes = narrow.header(version) + narrow.block(4, old)
        } else {
            // One kind of time, because there has to be one, with an empty name.
            bytes = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15 + 16) + number(1, 4) + number(1, 4)
            bytes += [UInt8](repeating: 0, count: 7)
        }
        return bytes + header(version) + block(8, changes) + Array("\n\(footer)\n".utf8)
    }

    private var names: [UInt8] { kinds.flatMap { Array($0.name.utf8) + [0] } }

    private func header(_ version: UInt8) -> [UInt8] {
        Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15) + number(0, 4) + number(0, 4)
            + number(leaps, 4) + number(changes.count, 4) + number(kinds.count, 4) + number(names.count, 4)
    }

    private func block(_ size: Int, _ changes: [(Int, UInt8)]) -> [UInt8] {
        var bytes = changes.flatMap { number($0.0, size) } + changes.map(\.1)
        var name = 0
        for kind in kinds {
            bytes += number(kind.offset, 4) + [kind.isDaylight ? 1 : 0, UInt8(name)]
            name += kind.name.utf8.count + 1
        }
        return bytes + names + [UInt8](repeating: 0, count: leaps * (size + 4))
    }

    private func number(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
