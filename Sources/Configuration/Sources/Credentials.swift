import Files
import Foundation
import PushModel

/// Secrets in files of their own: in `$CREDENTIALS_DIRECTORY` (systemd's `LoadCredential=`), then in `/run/secrets`
/// (Docker, Kubernetes). The file of `hubs.news.connectionString` is `hubs-news-connectionString`.
///
/// Reads only the files it knows by name, and follows symbolic links, which is what Kubernetes mounts.
struct Credentials {
    private(set) var values: SettingsSources.Source = [:]
    private(set) var problems: [SettingsProblem] = []
    /// Files that are named like ours but belong to no key.
    private(set) var unknown: [SettingsProblem] = []

    /// White space around a value is removed. An empty file counts as missing.
    ///
    /// - Parameter keys: every key that is a secret.
    init(for keys: [[String]], in directories: [String]) {
        let names = Set(keys.map(Self.fileName))
        for directory in directories {
            for key in keys where values[key.joined(separator: ".")] == nil {
                read(key, at: directory + "/" + Self.fileName(of: key))
            }
            // The loss is meant: a directory that is missing or unreadable has no misspelt files.
            let files = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
            for file in files.sorted() where Self.isNamedLikeOurs(file) && !names.contains(file) {
                unknown.append(
                    SettingsProblem(
                        key: "\(directory)/\(file)",
                        found: "is not the credential of any hub or person in the settings",
                        rule: "only known credentials have an effect",
                        remedy: DidYouMean.nearest(to: file, in: names.sorted()).map { "Did you mean \"\($0)\"" }
                            ?? "Remove it"))
            }
        }
    }

    private static func isNamedLikeOurs(_ file: String) -> Bool {
        ["hubs-", "console-users-"].contains { file.hasPrefix($0) }
    }

    /// Components joined by dashes; what is neither letter, digit nor dash becomes `_`.
    static func fileName(of key: [String]) -> String {
        key.map { String($0.map { $0.isLetter || $0.isNumber || $0 == "-" ? $0 : "_" }) }.joined(separator: "-")
    }

    private mutating func read(_ key: [String], at path: String) {
        do throws(FileFault) {
            let bytes = try BoundedFile.bytes(of: path, limit: SettingsFile.limit)
            let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            guard !text.isEmpty else { return }
            values[key.joined(separator: ".")] = SourcedValue(value: .text(text), origin: .credential(path))
        } catch .missing {
            return  // the usual case
        } catch {
            problems.append(
                SettingsProblem(
                    key: path, found: "\(error)", rule: "a credential file must be readable",
                    remedy: "Let this user read it, or remove it"))
        }
    }
}
