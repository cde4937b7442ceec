/// Bytes that nobody can guess, from the system's generator (getrandom on Linux).
package enum RandomBytes {
    package static func make(_ count: Int) -> [UInt8] {
        var source = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &source) }
    }
}
