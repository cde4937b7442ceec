import Pages

extension Visit {
    /// The address of a page, if the console has it and the person may see it: no link leads to nowhere.
    func existing(_ path: [String], _ fields: [String: String] = [:]) -> String? {
        guard let page = Router.page(at: path, FormFields("")), person.maySee(type(of: page)) else { return nil }
        return ConsoleAddress.text(
            base: options.basePath, path, fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }
}
