/// Parts of style sheets that several programs share.
package enum SharedStyle {
    /// The colours, light and dark by system or by `data-theme` of the page, and the plain elements. It comes first.
    package static let base = EmbeddedFiles.base_css
    /// The bar at the top of every page: names, navigation, and whether the page follows what happens.
    package static let top = EmbeddedFiles.top_css
    /// Panels, and a page that is a column of them (the class `tool`).
    package static let panel = EmbeddedFiles.panel_css
    /// Tables; those in an element `wide` become blocks in a narrow window, with a word from `data-label` before each value.
    package static let table = EmbeddedFiles.table_css
    /// Forms, and buttons side by side.
    package static let form = EmbeddedFiles.form_css
    /// The colours of `Hue`, dark enough for white letters.
    package static let hues = EmbeddedFiles.hues_css
    /// Phones side by side, each with a screen and the look of its cards.
    package static let phone = EmbeddedFiles.phone_css
    /// How something new arrives, and that nothing moves for somebody who asks for that.
    package static let motion = EmbeddedFiles.motion_css
    /// What a card shows.
    package static let card = EmbeddedFiles.card_css
}

/// Parts of scripts that several programs share. All parts of a page are one module; its last one starts it.
package enum SharedScript {
    /// The parts of a page are exchanged for those of a newer one, so that what one types and where one reads stay.
    package static let parts = EmbeddedFiles.parts_js
    /// Buttons that copy a text.
    package static let copy = EmbeddedFiles.copy_js
}

extension String {
    /// A file ends with a line end. What is put inside a line, as templates are, must not.
    package var withoutLastLineEnd: String { hasSuffix("\n") ? String(dropLast()) : self }
}
