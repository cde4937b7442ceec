import Mustache
import Synchronization

/// A view as templates read it: its fields by their names.
///
/// The library takes a view apart again for each name that a template asks for, and does so with those around it when the name is not
/// there or nil: a page of 50 hubs took four times as long.
struct ViewFields: MustacheParent {
    private let values: [String: Any]

    private init(_ view: Mirror) {
        var values: [String: Any] = [:]
        for case (let name?, let value) in view.children { values[name] = Self.of(value) }
        self.values = values
    }

    /// nil, too, for one that is nil: the library then looks at what is around the view.
    func child(named name: String) -> Any? { values[name] }

    /// What the library gets for a value: `ViewFields` for a view, an array of them for an array of views. Anything else stays as it is.
    ///
    /// - Returns: nil for an optional that is nil.
    static func of(_ value: Any) -> Any? {
        let type = ObjectIdentifier(type(of: value))
        let known = kinds.withLock { $0[type] }
        if case .value = known { return value }
        let mirror = Mirror(reflecting: value)
        let kind = known ?? kind(of: value, mirror)
        if known == nil { kinds.withLock { $0[type] = kind } }
        return switch kind {
        case .value: value
        case .optional: mirror.children.first.flatMap { of($0.value) }
        case .views: mirror.children.map { of($0.value) ?? $0.value }
        case .view: ViewFields(mirror)
        }
    }

    /// What a type is to the library.
    private enum Kind { case value, optional, views, view }

    /// Types do not change, and each question about one searches its conformances.
    private static let kinds = Mutex<[ObjectIdentifier: Kind]>([:])

    private static func kind(of value: Any, _ mirror: Mirror) -> Kind {
        switch mirror.displayStyle {
        case .optional: .optional
        case .collection where value is any MustacheSequence: .views
        case .struct where !hasMeaning(value): .view
        default: .value
        }
    }

    /// Whether the library, or Swift, knows what to show of it besides its fields.
    private static func hasMeaning(_ value: Any) -> Bool {
        value is any CustomStringConvertible || value is any Sequence || value is any MustacheParent
            || value is any MustacheCustomRenderable || value is any MustacheCustomRepresentation
    }
}
