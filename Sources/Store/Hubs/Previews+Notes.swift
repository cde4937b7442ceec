import PushModel

extension Previews {
    /// What has no phone, and why. Pure.
    package var notes: [String] { refusals + remarks }

    /// What would not be sent.
    package var refusals: [String] {
        refused.map { refused in
            "refused\(refused.locale.map { " in \($0)" } ?? ""): \(refused.reason.rawValue): \(refused.text)"
        }
    }

    /// What is sent and not shown as it will be.
    package var remarks: [String] {
        var remarks = [exampleNote].compactMap(\.self)
        remarks += broken.map { "no hub takes the template \($0.template): \($0.why)" }
        if !unshown.isEmpty { remarks.append("no template shows " + unshown.joined(separator: ", ")) }
        if leftOut > 0 { remarks.append("\(leftOut) more are not shown: name a locale or a platform") }
        return remarks
    }

    private var exampleNote: String? {
        guard hasExamples else { return nil }
        let isAny = all.contains { if case .template = $0.source { true } else { false } }
        return isAny
            ? "no template is known for some platforms: their phones show an example" : KnownTemplates.none(of: hub)
    }
}
