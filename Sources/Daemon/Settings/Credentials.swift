import Configuration
import Foundation

/// Secrets that lie in files, one each: `$CREDENTIALS_DIRECTORY` (systemd's `LoadCredential=`), then `/run/secrets`
/// (Docker, Kubernetes). The file of `hubs.news.connectionString` is `hubs-news-connectionString`.
///
/// Read by hand and only the files we know by name: swift-configuration's `DirectoryFilesProvider` passes over symbolic
/// links, which is what Kubernetes mounts, and gives up when any other file of the directory is not ours to read.
struct Credentials {
    private(set) var values: [AbsoluteConfigKey: ConfigValue] = [:]
    /// File path by dotted key.
    private(set) var paths: [String: String] = [:]
    private(set) var problems: [SettingsProblem] = []
    /// Files that look like ours and are not.
    private(set) var unknown: [SettingsProblem] = []

    /// - Parameter keys: every key that is a secret. White space around a value is removed; an empty file counts as no
    ///   file.
    init(for keys: [[String]], in directories: [String]) {
        let names = Set(keys.map(Self.fileName))
        for directory in directories {
            for key in keys where values[AbsoluteConfigKey(key)] == nil {
                read(key, at: directory + "/" + Self.fileName(of: key))
            }
            // A directory that is not there or not readable has nothing misspelt in it either.
            let files = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
            for file in files.sorted() where file.hasPrefix("hubs-") && !names.contains(file) {
                unknown.append(
                    SettingsProblem(
                        key: "\(directory)/\(file)", found: "is no credential of a hub in the settings",
                        rule: "only known credentials have an effect",
                        remedy: DidYouMean.nearest(to: file, in: names.sorted()).map { "Did you mean \"\($0)\"" }
                            ?? "Remove it"))
            }
        }
    }

    /// Components joined by dashes; what is neither letter, digit nor dash becomes `_`, as `DirectoryFilesProvider`
    /// names them.
    static func fileName(of key: [String]) -> String {
        key.map { String($0.map { $0.isLetter || $0.isNumber || $0 == "-" ? $0 : "_" }) }.joined(separator: "-")
    }

    private mutating func read(_ key: [String], at path: String) {
        do throws(SmallFile.Fault) {
            let bytes = try SmallFile.bytes(at: path)
            let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            guard !text.isEmpty else { return }
            values[AbsoluteConfigKey(key)] = ConfigValue(.string(text), isSecret: true)
            paths[key.joined(separator: ".")] = path
        } catch .missing {
            return  // the usual case
        } catch {
            problems.append(
                SettingsProblem(
                    key: path, found: "\(error)", rule: "a credential file must be readable",
                    remedy: "Give this user the right to read it, or remove it"))
        }
    }
}
