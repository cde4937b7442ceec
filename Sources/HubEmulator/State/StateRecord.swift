import Foundation

/// One line of the state file, in JSON.
struct StateRecord: Codable, Sendable, Equatable {
    /// In the first line: the version of the format.
    var format: Int?
    /// In the last line: the number of lines between it and the first. Without it the file is incomplete.
    var records: Int?
    /// The hub that the record belongs to.
    var hub: String?
    /// The version of the installation.
    var version: Int?
    var installation: Installation?
    var registration: Registration?

    static let format = 1

    static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// The records of a complete file, without the first and the last line.
    ///
    /// - Throws: `EmulatorError` naming the invalid line.
    static func read(_ data: Data) throws(EmulatorError) -> [(line: Int, record: StateRecord)] {
        var records: [(line: Int, record: StateRecord)] = []
        let decoder = JSONDecoder()
        var line = 0
        var isEnded = false
        for text in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            line += 1
            if isEnded {
                if text.isEmpty { continue }
                throw EmulatorError("line \(line): content after the last line")
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
                guard let fileFormat = record.format else { throw EmulatorError("line 1: the format is missing") }
                guard fileFormat == format else {
                    throw EmulatorError("line 1: the format is \(fileFormat), and this emulator reads \(format)")
                }
            } else if let count = record.records {
                guard count == records.count else {
                    throw EmulatorError("line \(line): it says \(count) records, but there are \(records.count)")
                }
                isEnded = true
            } else {
                records.append((line, record))
            }
        }
        guard isEnded else { throw EmulatorError("line \(line): the last line is missing") }
        return records
    }
}

extension Hub {
    /// Increases with every change that the state file must contain.
    var changes: Int { index.withLock { $0.changes } }

    /// Calls `body` with all records of this hub, as a consistent snapshot. Unchanged seed devices are left out.
    func forEachRecord(_ body: (StateRecord) throws(EmulatorError) -> Void) throws(EmulatorError) {
        for device in index.withLock({ $0.all }) where !device.isSeed {
            switch device.content {
            case .installation(let installation):
                try body(StateRecord(hub: name, version: device.version, installation: installation))
            case .registration(let registration): try body(StateRecord(hub: name, registration: registration))
            }
        }
    }

    /// - Throws: `EmulatorError` for an invalid device, or a record that is neither an installation nor a registration.
    func load(_ record: StateRecord) throws(EmulatorError) {
        try index.withLock { index throws(EmulatorError) in
            if let installation = record.installation, let version = record.version {
                try index.put(installation, version: version)
            } else if let registration = record.registration {
                try registration.channel.check(for: registration.platform)
                try index.put(registration)
            } else {
                throw EmulatorError("it holds neither an installation nor a registration")
            }
        }
    }
}
