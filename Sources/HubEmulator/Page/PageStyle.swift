import Pages

/// The page's style sheet: light and dark, wide and narrow.
enum PageStyle {
    static let source = [
        SharedStyle.base, SharedStyle.top, EmbeddedFiles.frame_css,
        // A phone, and what stands below it.
        SharedStyle.phone, SharedStyle.motion, SharedStyle.hues, SharedStyle.card, EmbeddedFiles.devices_css,
        SharedStyle.panel, SharedStyle.table, SharedStyle.form, EmbeddedFiles.panels_css,
        // The pages beside the one with the phones, and the dialog with one send.
        EmbeddedFiles.tools_css,
    ].joined()
}

/// The page's icon: a bell.
enum PageIcon {
    static let source = EmbeddedFiles.icon_svg.withoutLastLineEnd
}
