import Pages
import PushModel

/// Values of a recipient that somebody makes up, to see texts with them: `with.name=Ada`. Pure.
struct SampleValues: Sendable, Equatable {
    /// In front of the names of their fields.
    static let prefix = "with."
    /// More are not read.
    static let most = 20

    private let values: [String: String]

    /// Of names in lower case.
    init(_ values: [(name: String, value: String)] = []) {
        self.values = Dictionary(values.prefix(Self.most).map { ($0.name, $0.value) }) { first, _ in first }
    }

    init(_ fields: FormFields) {
        let names = fields.names.filter { $0.hasPrefix(Self.prefix) && $0 != Self.prefix }
        self.init(
            names.compactMap { name in fields[name].map { (String(name.dropFirst(Self.prefix.count)), $0) } })
    }

    var names: [String] { values.keys.sorted() }

    /// As fields of a form.
    var fields: [(name: String, value: String)] {
        values.sorted { $0.key < $1.key }.map { (Self.prefix + $0.key, $0.value) }
    }

    /// One JSON object of strings; `{}`: there are none.
    var json: String {
        var writer = StringObjectWriter()
        for (name, value) in values.sorted(by: { $0.key < $1.key }) { writer.append(name, value) }
        return String(decoding: writer.finish(), as: UTF8.self)
    }

    var isEmpty: Bool { values.isEmpty }
}
