import Foundation
import PackagePlugin

/// Compiles files in as strings, so that a program is one file: `file-embedder` writes them as Swift, and is run again when one of
/// them has changed. (As resources, which SwiftPM embeds as arrays of numbers, those of `migrations/` took a minute and 2 GB of
/// memory to compile; as strings they take less than a second.)
///
/// `Store` gets `migrations/`, any other target the style sheets, scripts, templates and pictures among its own files.
@main struct EmbedFiles: BuildToolPlugin {
    private static let kinds = ["css", "js", "mustache", "svg"]

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let embedder = try context.tool(named: "file-embedder").url
        if target.name == "Store" { return [schema(context, embedder)] }
        let files = (target as? any SourceModuleTarget)?.sourceFiles.map(\.url)
            .filter { Self.kinds.contains($0.pathExtension) }.sorted { $0.path() < $1.path() }
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        return [
            .buildCommand(
                displayName: "Embedding the files of \(target.name)", executable: embedder,
                arguments: ["files", output.path()] + (files ?? []).map { $0.path() }, inputFiles: files ?? [],
                outputFiles: [output])
        ]
    }

    private func schema(_ context: PluginContext, _ embedder: URL) -> Command {
        let migrations = context.package.directoryURL.appending(path: "migrations").resolvingSymlinksInPath()
        let files = FileManager.default.enumerator(at: migrations, includingPropertiesForKeys: nil)?
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "sql" }
        let output = context.pluginWorkDirectoryURL.appending(path: "SchemaFile+All.swift")
        return .buildCommand(
            displayName: "Embedding the schema", executable: embedder,
            arguments: ["schema", output.path(), migrations.path()], inputFiles: files ?? [], outputFiles: [output])
    }
}
