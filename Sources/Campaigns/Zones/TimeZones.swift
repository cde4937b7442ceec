import Files
import Foundation
import PushModel
import Synchronization

/// The time zones of this machine: files of the tz database, which an update of tzdata replaces. Each is read once, and again
/// when it has changed.
public final class TimeZones: Sendable {
    /// Where distributions put them.
    public static let usualFolder = "/usr/share/zoneinfo"

    /// What distinguishes two states of a file.
    private struct Stamp: Equatable {
        var device: UInt
        var inode: UInt
        var size: Int
        var seconds: Int
        var nanoseconds: Int
    }

    public let folder: String
    private let read = Mutex<[String: (stamp: Stamp, zone: TimeZoneFile)]>([:])

    /// - Parameter folder: default: the variable TZDIR, as in the C library, else `/usr/share/zoneinfo`.
    public init(folder: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment) {
        let given = environment["TZDIR"].flatMap { $0.isEmpty ? nil : $0 }
        self.folder = folder ?? given ?? Self.usualFolder
    }

    /// - Parameter name: of the IANA: `Europe/Berlin`, `UTC`.
    /// - Throws: `TimeZoneError`. Never another zone in silence.
    public func named(_ name: String) throws(TimeZoneError) -> TimeZoneFile {
        try TimeZoneName.check(name)
        let path = "\(folder)/\(name)"
        guard let stamp = Self.stamp(of: path) else {
            guard hasData else { throw .noData(folder: folder) }
            throw .unknown(name, near: TimeZoneName.near(name, in: names()))
        }
        if let known = read.withLock({ $0[name] }), known.stamp == stamp { return known.zone }
        // The stamp is older than the bytes: a file that changes in between is read again the next time.
        let zone = try file(path, name)
        read.withLock { $0[name] = (stamp, zone) }
        return zone
    }

    /// Whether there are rules at all.
    ///
    /// - Throws: `TimeZoneError.noData`.
    public func check() throws(TimeZoneError) {
        guard hasData else { throw .noData(folder: folder) }
    }

    /// Every zone there is, in alphabetical order. Reads the names of some hundred files.
    public func names() -> [String] {
        // An unreadable folder has no names, and a hint is all that is made of them.
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return paths.filter { TimeZoneName.isOffered($0) && Self.stamp(of: "\(folder)/\($0)") != nil }.sorted()
    }

    /// Every tz database has this one.
    private var hasData: Bool { Self.stamp(of: "\(folder)/Etc/UTC") != nil }

    private func file(_ path: String, _ name: String) throws(TimeZoneError) -> TimeZoneFile {
        let bytes: [UInt8]
        do throws(FileFault) {
            bytes = try BoundedFile.bytes(of: path, limit: TimeZoneFile.largest)
        } catch {
            throw .unreadable(path: path, reason: error.reason)
        }
        do throws(TimeZoneFileError) {
            return try TimeZoneFile(bytes)
        } catch {
            throw .broken(path: path, error)
        }
    }

    /// nil: there is no such file, or it is a folder.
    private static func stamp(of path: String) -> Stamp? {
        var found = stat()
        guard stat(path, &found) == 0, found.st_mode & S_IFMT == S_IFREG else { return nil }
        return Stamp(
            device: UInt(found.st_dev), inode: UInt(found.st_ino), size: Int(found.st_size),
            seconds: found.st_mtim.tv_sec, nanoseconds: found.st_mtim.tv_nsec)
    }
}
