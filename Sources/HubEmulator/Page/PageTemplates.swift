import Pages

/// The HTML of all pages. All external values are in double braces, which escape them; `toolContent` alone is HTML of ours.
enum PageTemplates {
    /// Compiled once.
    private static let library = TemplateLibrary(EmbeddedFiles.all)

    /// By their names.
    static var sources: [(name: String, text: String)] { library.sources }

    static func render(_ view: Any, _ name: String) -> String { library.render(view, name) }
}
