import PushModel
import Signing

/// The fields of a form, from a query or a body: `application/x-www-form-urlencoded` (URL Standard, section 5.1).
package struct FormFields: Sendable {
    /// As they came, blank ones too; names are in lower case.
    package let pairs: [(name: String, value: String)]

    package init(_ text: Substring) {
        pairs = text.split(scalar: "&").compactMap { pair in
            let sides = pair.split(scalar: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count > 1 else { return nil }
            return (sides[0].lowercased(), Self.decoded(sides[1]))
        }
    }

    /// The names in their order, in lower case; one that is there twice is so here.
    package var names: [String] { pairs.map(\.name) }

    /// The first value. nil: absent or blank.
    package subscript(name: String) -> String? {
        guard let value = pairs.first(where: { $0.name == name })?.value, !value.allSatisfy(\.isWhitespace) else {
            return nil
        }
        return value
    }

    /// All values of a field that a form may have several times, in their order; without blank ones.
    package func all(_ name: String) -> [String] {
        pairs.compactMap { $0.name == name && !$0.value.allSatisfy(\.isWhitespace) ? $0.value : nil }
    }

    /// A `+` is a space. A value that is not properly encoded is taken literally.
    private static func decoded(_ text: Substring) -> String {
        let plain = text.replacing(scalars: "+", with: " ")
        return PercentEncoding.decode(plain[...]) ?? plain
    }
}
