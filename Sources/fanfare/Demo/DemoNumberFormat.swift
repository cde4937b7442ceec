/// Numbers as people read them.
enum DemoNumberFormat {
    /// `1,234,567`
    static func grouped(_ number: some BinaryInteger) -> String {
        let digits = Array(String(number))
        let groups = stride(from: digits.count, to: 0, by: -3).map { String(digits[max(0, $0 - 3)..<$0]) }
        return groups.reversed().joined(separator: ",")
    }

    /// `0.8 ms`, `12 ms`, `1.2 s`, `75 s`
    static func time(milliseconds: Double) -> String {
        switch milliseconds {
        case ..<10: "\(tenths(milliseconds)) ms"
        case ..<1_000: "\(Int(milliseconds.rounded())) ms"
        case ..<10_000: "\(tenths(milliseconds / 1_000)) s"
        default: "\(Int((milliseconds / 1_000).rounded())) s"
        }
    }

    private static func tenths(_ number: Double) -> Double { (number * 10).rounded() / 10 }
}
