import Foundation
import PushModel

/// Checks that hold for every settings file. `LocatedJSONCheckTests` runs them over the corpus, bin/fuzz
/// over inputs of libFuzzer.
enum LocatedJSONCheck: String, CaseIterable, Sendable {
    case settings

    /// A check that failed.
    struct Broken: Error {
        let promise: String
    }

    func run(_ bytes: [UInt8]) throws(Broken) {
        let document: LocatedJSON
        do throws(LocatedJSON.Fault) {
            document = try LocatedJSON(bytes)
        } catch {
            try Self.hold(!error.expected.isEmpty, "a fault says what was expected")
            return try Self.check(error.place, in: bytes)
        }
        try Self.check(document.root, in: bytes, from: LocatedJSON.Place(line: 1, column: 1))
        // nil fails the check below.
        if let known = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed) {
            return try Self.agree(document.root, known)
        }
        // 9e999 is valid JSON, but Foundation reads numbers as Double.
        let isBeyondDouble = String(decoding: bytes, as: UTF8.self).contains(/[0-9][eE][+-]?[0-9]{3}|[0-9]{300}/)
        try Self.hold(isBeyondDouble, "an accepted text is JSON")
    }

    private static func hold(_ condition: Bool, _ promise: @autoclosure () -> String) throws(Broken) {
        if !condition { throw Broken(promise: promise()) }
    }

    private static func check(_ place: LocatedJSON.Place, in bytes: [UInt8]) throws(Broken) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        try hold((1...lines.count).contains(place.line), "a place is on an existing line")
        try hold((1...lines[place.line - 1].count + 1).contains(place.column), "a place is in its line")
    }

    /// Members come one after the other.
    @discardableResult
    private static func check(
        _ node: LocatedJSON.Node, in bytes: [UInt8], from start: LocatedJSON.Place
    ) throws(Broken) -> LocatedJSON.Place {
        guard case .object(let members) = node else { return start }
        var last = start
        for member in members {
            try check(member.place, in: bytes)
            try hold((member.place.line, member.place.column) >= (last.line, last.column), "places go forward")
            last = try check(member.node, in: bytes, from: member.place)
        }
        return last
    }

    private static func agree(_ node: LocatedJSON.Node, _ known: Any) throws(Broken) {
        switch node {
        case .object(let members):
            guard let object = known as? [String: Any] else { throw Broken(promise: "an object is one") }
            for member in members {
                guard let value = object[member.name] else { throw Broken(promise: "a name is read alike") }
                // Foundation keeps only one of several equal names.
                if members.count(where: { $0.name == member.name }) == 1 { try agree(member.node, value) }
            }
        case .array: try hold(known is [Any], "a list is one")
        case .text(let text): try hold(known as? String == text, "a text is read alike")
        case .number: try hold(known is NSNumber, "a number is one")
        case .flag(let flag): try hold(known as? Bool == flag, "a flag is read alike")
        case .null: try hold(known is NSNull, "null is null")
        }
    }
}
