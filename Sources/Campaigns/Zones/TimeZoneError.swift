/// Why a time zone cannot be read.
public enum TimeZoneError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The text does not have the form of a zone name.
    case invalid(String)
    /// `CET`: several zones use it, and some of them have no summer time.
    /// `meant` lists them.
    case abbreviation(String, meant: [String])
    /// `GMT+1`: hours from UTC. `fixed` is the zone that has them all year, with the opposite sign; nil: no such zone.
    case offset(String, fixed: String?)
    /// The tz database has no such zone; `near` lists similar names, at most three.
    case unknown(String, near: [String])
    /// The folder holds no tz database: the package tzdata is missing.
    case noData(folder: String)
    case unreadable(path: String, reason: String)
    case broken(path: String, TimeZoneFileError)

    /// Whether the installation is at fault rather than the name: a command then exits with 78.
    public var isOfThisMachine: Bool {
        switch self {
        case .invalid, .abbreviation, .offset, .unknown: false
        case .noData, .unreadable, .broken: true
        }
    }

    public var description: String {
        switch self {
        case .invalid(let name): "\(name.prefix(64)) is not the name of a time zone"
        case .abbreviation(let name, _): "\(name) is an abbreviation, not a time zone"
        case .offset(let name, _): "\(name) is an offset, not a time zone"
        case .unknown(let name, _): "there is no time zone \(name)"
        case .noData(let folder): "there are no time zones in \(folder)"
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)"
        case .broken(let path, let error): "\(path) \(error)"
        }
    }

    /// What to do about it.
    public var hint: String {
        switch self {
        case .invalid: "Use an IANA name, such as Europe/Berlin or UTC."
        case .abbreviation(_, let meant): "Use the zone that you mean: \(meant.joined(separator: ", "))."
        case .offset(_, nil): "Use the zone whose clocks you mean, such as Europe/Berlin."
        case .offset(let name, let fixed?):
            "Use the zone whose clocks you mean, such as Europe/Berlin; \(name) all year is \(fixed) (its sign is turned round)."
        case .unknown(_, let near) where near.isEmpty: "Use an IANA name, such as Europe/Berlin or UTC."
        case .unknown(_, let near): "Did you mean \(near.joined(separator: ", "))?"
        case .noData: "Install the package tzdata, or set TZDIR to the folder that holds the zones."
        case .unreadable, .broken: "Reinstall the package tzdata."
        }
    }
}
