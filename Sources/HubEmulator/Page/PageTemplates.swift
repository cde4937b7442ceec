import Mustache

/// The HTML of all pages. All external values are in double braces, which escape them; `toolContent` alone is HTML of ours.
enum PageTemplates {
    /// Compiled once. A test renders each template, so one that does not parse never ships.
    static let library: MustacheLibrary = {
        MustacheContentTypes.register(PageEscaping(), named: PageEscaping.name)
        var library = MustacheLibrary()
        for (name, source) in sources {
            do {
                // In each: a partial does not take over the content type of the template that names it.
                try library.register("{{% CONTENT_TYPE: \(PageEscaping.name)}}\n" + source, named: name)
            } catch {
                preconditionFailure("the template \(name) does not parse: \(error)")
            }
        }
        return library
    }()

    /// The files in Templates, by their names without `.mustache`.
    static let sources = EmbeddedFiles.all.filter { $0.name.hasSuffix(suffix) }.map {
        (String($0.name.dropLast(suffix.count)), $0.text.withoutLastLineEnd)
    }

    private static let suffix = ".mustache"

    static func render(_ view: Any, _ name: String) -> String {
        // nil only for a name that no template has.
        library.render(view, withTemplate: name) ?? ""
    }
}
