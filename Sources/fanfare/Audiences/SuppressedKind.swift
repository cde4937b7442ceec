import ArgumentParser
import PushModel

/// What a suppression names.
enum SuppressedKind: String, CaseIterable, ExpressibleByArgument {
    case tag, handle, key

    /// Why no recipient can have a value; nil: one can. The rules are those of push.suppress.
    func fault(of value: String) -> String? {
        let bytes = value.utf8.count
        if bytes > 2600 { return "its value has \(bytes) bytes, 2,600 are allowed" }
        switch self {
        case .tag:
            do throws(TagError) {
                _ = try Tag(value)
                return nil
            } catch {
                return "\(value.quoted) is not one tag: \(error)"
            }
        case .handle where !Target.isHandle(value):
            return "its value is not a handle: visible ASCII characters, no spaces"
        default: return nil
        }
    }
}
