/// The properties of one message. Lookup ignores case.
struct TemplateProperties {
    private let exact: [String: String]
    private let folded: [String: String]

    /// Among names that differ only in case, lookup prefers the exact one, then the first in alphabetical order.
    init(_ properties: [String: String]) {
        exact = properties
        let byName = properties.sorted { $0.key < $1.key }.map { ($0.key.lowercased(), $0.value) }
        folded = Dictionary(byName) { first, _ in first }
    }

    subscript(name: String) -> String? { exact[name] ?? folded[name.lowercased()] }
}

/// Decides which texts `#(p)` writes as a number: no sign, no leading zero.
enum TemplateNumber {
    static func matches(_ text: String) -> Bool {
        var rest = Substring(text).utf8
        func digits() -> Int {
            let count = rest.prefix { $0 &- UInt8(ascii: "0") < 10 }.count
            rest = rest.dropFirst(count)
            return count
        }
        let startsWithZero = rest.first == UInt8(ascii: "0")
        let whole = digits()
        guard whole == 1 || (whole > 1 && !startsWithZero) else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard digits() > 0 else { return false }
        }
        if let e = rest.first, e | 0x20 == UInt8(ascii: "e") {
            rest = rest.dropFirst()
            if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { rest = rest.dropFirst() }
            guard digits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}
