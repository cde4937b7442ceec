import PushModel

/// One value that two specs have differently. Pure.
struct SpecChange: Sendable, Equatable {
    /// `content."en".title`
    var path: String
    /// JSON; nil: it was not there.
    var before: String?
    /// JSON; nil: it is not there any more.
    var after: String?

    /// What differs between two specs, by path; members of objects are compared one by one, lists as a whole.
    ///
    /// - Parameter before: nil: there was nothing.
    static func all(from before: SpecText?, to after: SpecText) -> [SpecChange] {
        let (old, new) = (before.map(values) ?? [:], values(of: after))
        var changes: [SpecChange] = []
        for (path, value) in old where new[path]?.node.isSame(as: value.node) != true {
            changes.append(SpecChange(path: path, before: value.json, after: new[path]?.json))
        }
        for (path, value) in new where old[path] == nil {
            changes.append(SpecChange(path: path, before: nil, after: value.json))
        }
        return changes.sorted { $0.path < $1.path }
    }

    private static func values(of spec: SpecText) -> [String: (node: JSONNode, json: String)] {
        var values: [String: (node: JSONNode, json: String)] = [:]
        func collect(_ node: JSONNode, _ path: String) {
            guard let members = node.members, !members.isEmpty else {
                values[path] = (node, spec.compact(node))
                return
            }
            for member in members {
                let name =
                    member.name.wholeMatch(of: /[A-Za-z0-9_-]+/) == nil ? SpecText.string(member.name) : member.name
                collect(member.node, path.isEmpty ? name : path + "." + name)
            }
        }
        collect(spec.root, "")
        return values
    }
}
