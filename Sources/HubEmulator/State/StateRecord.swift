import Foundation

/// One line of the state file: JSON.
struct StateRecord: Codable, Sendable, Equatable {
    /// The first line: what the file is, and in which form.
    var format: Int?
    /// The last line: how many lines lie between it and the first. Without it the file is torn.
    var records: Int?
    /// Whose record it is.
    var hub: String?
    /// Of the installation.
    var version: Int?
    var installation: Installation?
    var registration: Registration?
    /// A registration id that was given out and not used yet.
    var reserved: String?

    static let format = 1

    static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// The records of a whole file, without the first and the last line.
    ///
    /// - Throws: `EmulatorError` naming the line that is not what it should be.
    static func read(_ data: Data) throws(EmulatorError) -> [(line: Int, record: StateRecord)] {
        var records: [(line: Int, record: StateRecord)] = []
        let decoder = JSONDecoder()
        var line = 0
        var isEnded = false
        for text in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            line += 1
            if isEnded {
                if text.isEmpty { continue }
                throw EmulatorError("line \(line): something follows the last line")
            }
            let record: StateRecord
            do {
                record = try decoder.decode(StateRecord.self, from: text)
            } catch let error as DecodingError {
                throw EmulatorError("line \(line): \(error.inOneLine)")
            } catch {
                throw EmulatorError("line \(line): not JSON")
            }
            if line == 1 {
                guard let found = record.format else { throw EmulatorError("line 1: it says no format") }
                guard found == format else {
                    throw EmulatorError("line 1: it is in format \(found), and this emulator reads \(format)")
                }
            } else if let count = record.records {
                guard count == records.count else {
                    throw EmulatorError("line \(line): it counts \(count) records, and there are \(records.count)")
                }
                isEnded = true
            } else {
                records.append((line, record))
            }
        }
        guard isEnded else { throw EmulatorError("line \(line): it ends in the middle") }
        return records
    }
}

extension Hub {
    /// Goes up with every change worth writing down.
    var changes: Int { roster.withLock { $0.changes } + registrationIDs.changes }

    /// All that the state file holds of it, as it is at one moment; seeds nobody has written to are not in it.
    func forEachRecord(_ body: (StateRecord) throws(EmulatorError) -> Void) throws(EmulatorError) {
        for resident in roster.withLock({ $0.all }) where !resident.isSeed {
            switch resident.content {
            case .installation(let installation):
                try body(StateRecord(hub: name, version: resident.version, installation: installation))
            case .registration(let registration): try body(StateRecord(hub: name, registration: registration))
            }
        }
        for id in registrationIDs.all { try body(StateRecord(hub: name, reserved: id)) }
    }

    /// - Throws: `EmulatorError` for what breaks a rule, or is no record of a hub.
    func load(_ record: StateRecord) throws(EmulatorError) {
        try roster.withLock { roster throws(EmulatorError) in
            if let installation = record.installation, let version = record.version {
                try roster.put(installation, version: version)
            } else if let registration = record.registration {
                try registration.channel.check(for: registration.platform)
                try roster.put(registration)
            } else if let id = record.reserved {
                registrationIDs.add(id)
            } else {
                throw EmulatorError("it holds neither an installation nor a registration")
            }
        }
    }
}
