import Foundation

/// A promise that was not kept, and for whom.
public struct Breach<Promise: Hashable & Sendable>: Sendable, Equatable {
    public var promise: Promise
    /// How often: recipients, or counts that differ.
    public var count = 0
    /// The first ones.
    public var examples: [String] = []
}

/// Gathers breaches, at most ten examples of each.
struct Breaches<Promise: Hashable & Sendable & CaseIterable & RawRepresentable<String>> {
    private var found: [Promise: Breach<Promise>] = [:]

    mutating func report(_ promise: Promise, _ example: String) {
        var breach = found[promise] ?? Breach(promise: promise)
        breach.count += 1
        if breach.examples.count < 10 { breach.examples.append(example) }
        found[promise] = breach
    }

    /// In the order of the promises.
    var all: [Breach<Promise>] { Promise.allCases.compactMap { found[$0] } }
}

extension Breach where Promise: CaseIterable & RawRepresentable<String> {
    /// Every promise, kept or broken, for people.
    static func lines(_ breaches: [Breach]) -> [String] {
        var lines: [String] = []
        for promise in Promise.allCases {
            let breach = breaches.first { $0.promise == promise }
            lines.append("  \(breach == nil ? "kept  " : "BROKEN") \(promise.rawValue)")
            guard let breach else { continue }
            lines += breach.examples.map { "           \($0)" }
            if breach.count > breach.examples.count {
                lines.append("           and \(breach.count - breach.examples.count) more")
            }
        }
        return lines
    }
}

extension Breach where Promise: RawRepresentable<String> {
    /// For programs.
    struct Form: Encodable {
        var promise: String
        var count: Int
        var examples: [String]
    }

    var form: Form { Form(promise: promise.rawValue, count: count, examples: examples) }
}

extension Encodable {
    /// A report for programs: with indents, and the names of its members in the way of SQL.
    var report: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}
