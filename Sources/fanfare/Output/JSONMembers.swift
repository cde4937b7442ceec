import Foundation

/// The members of one JSON object, in their order, nested values as they were written.
///
/// Foundation says whether it is JSON; its own result keeps neither the order nor the spelling of what a content holds.
enum JSONMembers {
    enum Value {
        case null
        case flag(Bool)
        /// As written.
        case number(String)
        case text(String)
        /// As written.
        case object(String)
        /// As written.
        case list(String)

        /// What it is, in words.
        var kind: String {
            switch self {
            case .null: "null"
            case .flag: "true or false"
            case .number: "a number"
            case .text: "a text"
            case .object: "an object"
            case .list: "a list"
            }
        }

        var text: String? { if case .text(let text) = self { text } else { nil } }

        /// A list whose elements are all texts.
        var texts: [String]? {
            guard case .list(let json) = self else { return nil }
            return (try? JSONSerialization.jsonObject(with: Data(json.utf8))) as? [String]
        }

        /// JSON text: of an object, or what a text holds.
        var json: String? {
            switch self {
            case .object(let json), .text(let json): json
            default: nil
            }
        }
    }

    static func read(_ bytes: ArraySlice<UInt8>) throws(LineFault) -> [(name: String, value: Value)] {
        do {
            guard try JSONSerialization.jsonObject(with: Data(bytes)) is [String: Any] else {
                throw LineFault("it is no JSON object")
            }
        } catch let fault as LineFault {
            throw fault
        } catch {
            let place = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
            throw LineFault("it is no JSON object" + (place.map { ": \($0)" } ?? ""))
        }
        return members(of: bytes)
    }

    /// Only for bytes that are a JSON object: whatever stands between two strings is then punctuation or one value.
    private static func members(of bytes: ArraySlice<UInt8>) -> [(name: String, value: Value)] {
        var members: [(String, Value)] = []
        var at = bytes.startIndex
        func skip(past signs: String) {
            while at < bytes.endIndex, bytes[at] <= 0x20 || signs.utf8.contains(bytes[at]) { at += 1 }
        }
        skip(past: "{")
        while at < bytes.endIndex, bytes[at] == UInt8(ascii: "\"") {
            let name = decoded(take(&at, of: bytes))
            skip(past: ":")
            members.append((name, value(take(&at, of: bytes))))
            skip(past: ",")
        }
        return members
    }

    /// One value from its first byte to its last.
    private static func take(_ at: inout Int, of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = at
        var depth = 0
        var isInString = false
        while at < bytes.endIndex {
            let byte = bytes[at]
            if isInString {
                if byte == UInt8(ascii: "\\") { at += 1 }
                if byte == UInt8(ascii: "\"") { isInString = false }
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                depth += 1
            } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                if depth == 0 { break }
                depth -= 1
            } else if depth == 0, byte <= 0x20 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":") {
                break
            }
            at += 1
            if depth == 0, !isInString, bytes[start] == UInt8(ascii: "\"") { break }
        }
        return bytes[start..<min(at, bytes.endIndex)]
    }

    private static func value(_ raw: ArraySlice<UInt8>) -> Value {
        let written = String(decoding: raw, as: UTF8.self)
        return switch raw.first {
        case UInt8(ascii: "\""): .text(decoded(raw))
        case UInt8(ascii: "{"): .object(written)
        case UInt8(ascii: "["): .list(written)
        case UInt8(ascii: "n"): .null
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .flag(raw.first == UInt8(ascii: "t"))
        default: .number(written)
        }
    }

    private static func decoded(_ raw: ArraySlice<UInt8>) -> String {
        // The whole object was read before, so each string in it can be.
        (try? JSONSerialization.jsonObject(with: Data(raw), options: .fragmentsAllowed)) as? String ?? ""
    }
}
