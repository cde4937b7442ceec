extension Preview {
    /// What keeps people from seeing it as it is meant; empty: nothing does.
    package var faults: [String] {
        [
            isTooLarge ? "too large: nobody sees it" : nil,
            shown.isEmpty ? "empty: a notification without a text" : nil, fault,
            missing.isEmpty ? nil : "lacks " + missing.joined(separator: ", "),
        ].compactMap(\.self)
    }

    /// What of the content it does not show.
    package var remarks: [String] {
        (unused.isEmpty ? [] : ["does not show " + unused.joined(separator: ", ")]) + cuts.map(\.sentence)
    }
}

extension Preview.Cut {
    /// For people.
    package var sentence: String {
        switch self {
        case .byTemplate(let property, let length, let full):
            "the template cuts \(property) to \(length) of \(HumanFormat.grouped(full)) characters"
        case .byPlatform(let part, let about, let full):
            "a locked phone shows about \(about) of \(HumanFormat.grouped(full)) columns of the \(part.rawValue)"
        }
    }
}
