import Signing

/// What a library calls its metrics, in names that Prometheus takes. Pure.
///
/// The rules: https://prometheus.io/docs/concepts/data_model/
enum LibraryNames {
    struct Label: Sendable, Hashable {
        var name: String
        var value: String
    }

    /// Letters of ASCII, digits, `_` and `:`, and no digit first. All others become `_`.
    ///
    /// - Parameter suffix: added unless the name ends with it: the unit, or `_total`.
    static func metric(_ text: String, suffix: String = "") -> String {
        let name = legal(text, colons: true)
        return name.hasSuffix(suffix) ? name : name + suffix
    }

    /// In one order, whatever order the library has: the same dimensions are the same series. A label without a value is
    /// none. Values of dimensions that get the same name are joined by `;`, as OpenTelemetry's rules for Prometheus say.
    static func labels(_ dimensions: [(String, String)]) -> [Label] {
        var values: [String: String] = [:]
        for (name, value) in dimensions.sorted(by: { ($0.0, $0.1) < ($1.0, $1.1) }) where !value.isEmpty {
            let shown = SecretMask.isSecret(name: name) ? SecretMask.mask : SecretMask.masked(value)
            let label = label(name)
            values[label] = values[label].map { $0 + ";" + shown } ?? shown
        }
        return values.map { Label(name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
    }

    /// `le` belongs to histograms, and what begins with two underscores to Prometheus.
    private static func label(_ text: String) -> String {
        let name = legal(text, colons: false)
        return name == "le" || name.hasPrefix("__") ? "exported_" + name : name
    }

    private static func legal(_ text: String, colons: Bool) -> String {
        var name = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "_": name.unicodeScalars.append(scalar)
            case ":" where colons: name.append(":")
            case "0"..."9":
                if name.isEmpty { name = "_" }
                name.unicodeScalars.append(scalar)
            default: name.append("_")
            }
        }
        return name.isEmpty ? "_" : name
    }
}
