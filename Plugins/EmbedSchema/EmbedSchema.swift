import Foundation
import PackagePlugin

/// Compiles `migrations/` in, so that a binary carries its schema: `schema-embedder` writes its files as strings, and is run
/// again when one of them has changed. (As resources, which SwiftPM embeds as arrays of numbers, they took a minute and 2 GB
/// of memory to compile; as strings they take less than a second.)
@main struct EmbedSchema: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
        let migrations = context.package.directoryURL.appending(path: "migrations").resolvingSymlinksInPath()
        let files = FileManager.default.enumerator(at: migrations, includingPropertiesForKeys: nil)?
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "sql" }
        let output = context.pluginWorkDirectoryURL.appending(path: "SchemaFile+All.swift")
        return [
            .buildCommand(
                displayName: "Embedding the schema", executable: try context.tool(named: "schema-embedder").url,
                arguments: [migrations.path(), output.path()], inputFiles: files ?? [], outputFiles: [output])
        ]
    }
}
