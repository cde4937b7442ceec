import PushModel
import Synchronization

/// Random identifiers in the service's formats.
enum FakeIDs {
    /// `24b65440-1799-4d78-86ba-cfe0d20f1490`.
    static func guid() -> String {
        let digits = hex()
        var text = [UInt8]()
        text.reserveCapacity(36)
        for (index, digit) in digits.enumerated() {
            if index == 8 || index == 12 || index == 16 || index == 20 { text.append(UInt8(ascii: "-")) }
            text.append(digit)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The tracking id: a GUID and the node that answered.
    static func tracking() -> String { guid() + "_G1" }

    /// `{32 hex}-{yyyyMMddHHmmss}-{n}-{n}`, as in a `Location`.
    static func notification(_ time: CivilTime) -> String {
        "\(String(decoding: hex(), as: UTF8.self))-\(time.compact)-1-1"
    }

    private static let alphabet = Array("0123456789abcdef".utf8)
    /// Unlike the system's generator, it calls the kernel only once.
    private static let generator = Mutex(SeededRandom(seed: .random(in: 0 ... .max)))

    private static func hex() -> [UInt8] {
        var digits = [UInt8]()
        digits.reserveCapacity(32)
        let (high, low) = generator.withLock { ($0.next(), $0.next()) }
        for var bits in [high, low] {
            for _ in 0..<16 {
                digits.append(alphabet[Int(bits & 15)])
                bits >>= 4
            }
        }
        return digits
    }
}
