import Glibc

/// Paths by a shell pattern.
package enum PathPattern {
    /// The paths that match (glob(3)), sorted; empty when none does or a directory cannot be read.
    package static func matches(of pattern: String) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(pattern, 0, nil, &found) == 0 else { return [] }
        return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
    }
}
