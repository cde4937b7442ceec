import PushModel

/// Where a text is not JSON, for the person who typed it.
struct SpecFault: Error, Equatable {
    var words: String

    init(_ error: JSONError, in bytes: [UInt8]) {
        let place = LocatedJSON.Place(of: error, in: bytes)
        words = "This is not JSON: line \(place.line), column \(place.column): \(error.rule)."
    }
}
