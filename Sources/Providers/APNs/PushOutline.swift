import PushModel

/// What a payload for Apple does, as far as the headers depend on it: found in one pass over the text, without building it.
///
/// Of a name that stands there twice the last member counts, as PostgreSQL's functions for jsonb have it.
struct PushOutline {
    private var aps = ObjectPart.absent
    private var wakesApp = false
    private var isVisible = false
    private var changesActivity = false
    private var changesWidgets = false

    /// The push type of a row that names none.
    var type: ApplePushType {
        if changesActivity { return .liveactivity }
        if isVisible { return .alert }
        if changesWidgets { return .widgets }
        return wakesApp ? .background : .alert
    }

    /// - Throws: `.content` when it is not an object with `aps`.
    init(_ payload: [UInt8]) throws(InvalidPost) {
        var scanner = JSONScanner(payload)
        do throws(JSONError) {
            try read(&scanner)
        } catch {
            throw .content("character \(error.position): \(error.rule)")
        }
        guard case .object = aps else { throw .content("it is {\"aps\": {...}}") }
    }

    private init() {}

    private mutating func read(_ scanner: inout JSONScanner) throws(JSONError) {
        _ = try scanner.members(depth: 0) { scanner, name throws(JSONError) in
            guard name == .aps else { return try scanner.skip(depth: 1) }
            self = PushOutline()
            aps = try scanner.members(depth: 1) { scanner, name throws(JSONError) in
                switch name {
                case .contentAvailable: wakesApp = try scanner.skips("1", depth: 2)
                case .contentChanged: changesWidgets = try scanner.skips("true", depth: 2)
                case .event:
                    changesActivity = true
                    try scanner.skip(depth: 2)
                case .alert, .badge, .sound:
                    isVisible = true
                    try scanner.skip(depth: 2)
                default: try scanner.skip(depth: 2)
                }
            }
        }
        try scanner.expectEnd(of: "content")
    }
}
