/// Names under which a payload says which text a device looks up in the app's own strings, in all the ways people write
/// them: `title-loc-key`, `titleLocKey`, `title_loc_key`. Each platform knows one of them and passes over the rest in
/// silence, so that the device shows nothing.
struct LocalisationKey {
    /// `title`, `subtitle`, `body`; empty: `loc-key` alone.
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

    /// nil: the name has nothing to do with it.
    init?(_ name: String) {
        // Nearly every other name is longer than these with their hyphens, or ends otherwise than `key` and `args`.
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

    /// In `aps.alert`. The body's has no prefix there.
    var apple: String { part.isEmpty || part == "body" ? "loc-\(end)" : "\(part)-loc-\(end)" }

    /// In `message.android.notification`; nil: Android has no subtitle.
    var android: String? { part == "subtitle" ? nil : "\(part.isEmpty ? "body" : part)_loc_\(end)" }
}
