/// Parts of style sheets that several programs share.
package enum SharedStyle {
    /// The colours, light and dark, and the plain elements. It comes first.
    package static let base = EmbeddedFiles.base_css
    /// Phones side by side, each with a screen and the look of its cards.
    package static let phone = EmbeddedFiles.phone_css
    /// How something new arrives, and that nothing moves for somebody who asks for that.
    package static let motion = EmbeddedFiles.motion_css
    /// What a card shows.
    package static let card = EmbeddedFiles.card_css
}

/// Parts of scripts that several programs share. All parts of a page are one module; its last one starts it.
package enum SharedScript {
    /// Times in the zone of the person who looks, and clocks that go on.
    package static let times = EmbeddedFiles.times_js
    /// Pages are fetched again and their parts exchanged, so that what one types and where one reads stay.
    ///
    /// The other parts have `live` (an element, or null: nothing on the page changes by itself), `events` and `connect()`
    /// (what follows the changes), and `prepare()` (what else has to be done with new parts).
    package static let parts = EmbeddedFiles.parts_js
}

extension String {
    /// A file ends with a line end. What is put inside a line, as templates are, must not.
    package var withoutLastLineEnd: String { hasSuffix("\n") ? String(dropLast()) : self }
}
