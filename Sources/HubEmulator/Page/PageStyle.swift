/// The page's style sheet: light and dark, wide and narrow.
enum PageStyle {
    static let source = [
        EmbeddedFiles.base_css, EmbeddedFiles.frame_css, EmbeddedFiles.phones_css, EmbeddedFiles.panels_css,
        // The pages beside the one with the phones, and the dialog with one send.
        EmbeddedFiles.tools_css,
    ].joined()
}

/// The page's icon: a bell.
enum PageIcon {
    static let source = EmbeddedFiles.icon_svg.withoutLastLineEnd
}

extension String {
    /// A file ends with a line end. What is put inside a line, as templates are, must not.
    var withoutLastLineEnd: String { hasSuffix("\n") ? String(dropLast()) : self }
}
