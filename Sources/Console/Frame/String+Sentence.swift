extension String {
    /// With a capital letter: words that follow others elsewhere begin a line here.
    var uppercasedFirst: String { prefix(1).uppercased() + dropFirst() }

    /// `Send again` within a sentence.
    var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }

    /// With a full stop at its end, and one alone: words of hubs and databases come with it or without.
    var asSentence: String { hasSuffix(".") ? self : self + "." }

    /// For more words behind it.
    var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
