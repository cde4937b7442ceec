import Mustache

/// Templates that make HTML: those of this target, which several programs share, and those of the target that uses them.
/// What stands in double braces is escaped; three braces are for HTML that other templates made.
package struct TemplateLibrary: Sendable {
    /// By the names of their files without `.mustache`.
    package let sources: [(name: String, text: String)]
    private let library: MustacheLibrary

    private static let suffix = ".mustache"

    /// Compiles the templates. A test renders each of them, so one that does not parse never ships.
    ///
    /// - Parameter files: of the target, by their names; those that are no templates are passed over.
    package init(_ files: [(name: String, text: String)]) {
        MustacheContentTypes.register(PageEscaping(), named: PageEscaping.name)
        sources = (EmbeddedFiles.all + files).filter { $0.name.hasSuffix(Self.suffix) }.map {
            (String($0.name.dropLast(Self.suffix.count)), $0.text.withoutLastLineEnd)
        }
        precondition(Set(sources.map(\.name)).count == sources.count, "two templates have one name")
        var library = MustacheLibrary()
        for (name, text) in sources {
            do {
                // In each: a partial does not take over the content type of the template that names it.
                try library.register("{{% CONTENT_TYPE: \(PageEscaping.name)}}\n" + text, named: name)
            } catch {
                preconditionFailure("the template \(name) does not parse: \(error)")
            }
        }
        self.library = library
    }

    /// - Parameter view: has the values, under the names that the template uses.
    package func render(_ view: Any, _ name: String) -> String {
        // nil only for a name that no template has.
        library.render(ViewFields.of(view) ?? view, withTemplate: name) ?? ""
    }
}
