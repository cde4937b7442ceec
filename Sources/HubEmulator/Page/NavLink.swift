/// One entry of the navigation that all pages have.
struct NavLink: Sendable {
    enum Place: String, CaseIterable {
        case phones = "Phones"
        case send = "Send"
        case tags = "Tags"
        case schedules = "Schedules"
        case telemetry = "Telemetry"
        case registrations = "Registrations"

        var address: String { self == .phones ? "/" : "/_emulator/page/\(rawValue.lowercased())" }
    }

    let navName: String
    let navAddress: String
    let isCurrentNav: Bool

    /// - Parameter current: nil: none of them.
    static func all(current: Place?) -> [NavLink] {
        Place.allCases.map { NavLink(navName: $0.rawValue, navAddress: $0.address, isCurrentNav: $0 == current) }
    }
}
