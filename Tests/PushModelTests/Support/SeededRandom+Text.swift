import PushModel

extension SeededRandom {
    /// A text of up to `length` characters of an alphabet.
    mutating func text(of alphabet: [Character], upTo length: Int) -> String {
        String((0..<Int.random(in: 0...length, using: &self)).map { _ in alphabet.randomElement(using: &self)! })
    }
}
