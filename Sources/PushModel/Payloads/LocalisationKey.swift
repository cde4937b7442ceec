/// The name of a key that tells a device which text to look up in the app's own strings, in every spelling people use:
/// `title-loc-key`, `titleLocKey`, `title_loc_key`. Each platform knows one spelling and silently ignores the others,
/// so that the device shows nothing.
struct LocalisationKey {
    /// `title`, `subtitle`, `body`; empty for a plain `loc-key`.
    let part: String
    /// `key` or `args`.
    let end: String

    private static let all: [String: LocalisationKey] = {
        var all: [String: LocalisationKey] = [:]
        for part in ["title", "subtitle", "body", ""] {
            for end in ["key", "args"] { all[part + "loc" + end] = LocalisationKey(part: part, end: end) }
        }
        return all
    }()

    /// nil: the name is not a localisation key.
    init?(_ name: String) {
        // A quick check first: nearly all other names are longer or do not end in `key` or `args`.
        guard (6...24).contains(name.utf8.count), let last = name.utf8.last?.foldedASCII,
            last == UInt8(ascii: "y") || last == UInt8(ascii: "s")
        else { return nil }
        let folded = name.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }.map(\.foldedASCII)
        guard let known = LocalisationKey.all[String(decoding: folded, as: UTF8.self)] else { return nil }
        self = known
    }

    private init(part: String, end: String) {
        self.part = part
        self.end = end
    }

    /// In `aps.alert`, where the body's key has no prefix.
    var apple: String { part.isEmpty || part == "body" ? "loc-\(end)" : "\(part)-loc-\(end)" }

    /// In `message.android.notification`; nil: Android has no subtitle.
    var android: String? { part == "subtitle" ? nil : "\(part.isEmpty ? "body" : part)_loc_\(end)" }
}
