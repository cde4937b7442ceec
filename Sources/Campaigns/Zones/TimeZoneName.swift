import PushModel

/// Names of time zones: which ones are taken, and what was meant by the others. Pure.
enum TimeZoneName {
    private static let longest = 64
    /// Files of the tz database that are no zones, or mean another one on each machine.
    private static let notZones: Set = ["localtime", "posixrules", "Factory"]

    /// The abbreviations that people write most. Some of them are files of the tz database too (CET, EST, PST8PDT), kept
    /// for old programs: they follow one zone of several, or have no summer time.
    private static let abbreviations: [String: [String]] = [
        "CET": ["Europe/Berlin", "Europe/Paris", "Europe/Madrid", "Africa/Algiers (no summer time)"],
        "CEST": ["Europe/Berlin", "Europe/Paris", "Europe/Madrid"],
        "MET": ["Europe/Berlin", "Europe/Paris"], "MEZ": ["Europe/Berlin", "Europe/Vienna", "Europe/Zurich"],
        "MESZ": ["Europe/Berlin", "Europe/Vienna", "Europe/Zurich"],
        "EET": ["Europe/Athens", "Europe/Helsinki", "Europe/Kyiv", "Africa/Tripoli (no summer time)"],
        "EEST": ["Europe/Athens", "Europe/Helsinki", "Europe/Kyiv"],
        "WET": ["Europe/Lisbon", "Atlantic/Canary", "Atlantic/Faroe"], "WEST": ["Europe/Lisbon", "Atlantic/Canary"],
        "MSK": ["Europe/Moscow"], "TRT": ["Europe/Istanbul"],
        "EST": ["America/New_York", "America/Toronto", "America/Panama (no summer time)", "Australia/Sydney"],
        "EDT": ["America/New_York", "America/Toronto"], "EST5EDT": ["America/New_York", "America/Toronto"],
        "ET": ["America/New_York", "America/Toronto"],
        "CST": ["America/Chicago", "America/Mexico_City (no summer time)", "Asia/Shanghai", "America/Havana"],
        "CDT": ["America/Chicago", "America/Winnipeg"], "CST6CDT": ["America/Chicago", "America/Winnipeg"],
        "CT": ["America/Chicago", "America/Winnipeg"],
        "MST": ["America/Denver", "America/Edmonton", "America/Phoenix (no summer time)"],
        "MDT": ["America/Denver", "America/Edmonton"], "MST7MDT": ["America/Denver", "America/Edmonton"],
        "PST": ["America/Los_Angeles", "America/Vancouver", "Asia/Manila"],
        "PDT": ["America/Los_Angeles", "America/Vancouver"],
        "PST8PDT": ["America/Los_Angeles", "America/Vancouver"],
        "PT": ["America/Los_Angeles", "America/Vancouver"],
        "AKST": ["America/Anchorage"], "HST": ["Pacific/Honolulu"], "AST": ["America/Halifax", "Asia/Riyadh"],
        "NST": ["America/St_Johns"], "BRT": ["America/Sao_Paulo"], "ART": ["America/Argentina/Buenos_Aires"],
        "BST": ["Europe/London", "Asia/Dhaka"],
        "IST": ["Asia/Kolkata", "Europe/Dublin", "Asia/Jerusalem"], "PKT": ["Asia/Karachi"],
        "JST": ["Asia/Tokyo"], "KST": ["Asia/Seoul"], "SGT": ["Asia/Singapore"], "HKT": ["Asia/Hong_Kong"],
        "GST": ["Asia/Dubai"], "SAST": ["Africa/Johannesburg"], "WAT": ["Africa/Lagos"], "EAT": ["Africa/Nairobi"],
        "CAT": ["Africa/Harare"], "AEST": ["Australia/Brisbane (no summer time)", "Australia/Sydney"],
        "AEDT": ["Australia/Sydney", "Australia/Melbourne"], "ACST": ["Australia/Darwin", "Australia/Adelaide"],
        "AWST": ["Australia/Perth"], "NZST": ["Pacific/Auckland"], "NZDT": ["Pacific/Auckland"],
    ]

    /// - Throws: `TimeZoneError` for what is an abbreviation, and for what is no name: a path that leaves the folder, above all.
    static func check(_ name: String) throws(TimeZoneError) {
        if let meant = abbreviations[name.uppercased()] { throw .abbreviation(name, meant: meant) }
        if isOffset(name) { throw .offset(name, fixed: fixedZone(name)) }
        guard hasForm(name), !notZones.contains(name), !isCopy(name) else { throw .invalid(name) }
    }

    /// Whether a file of the folder is a name that we offer.
    static func isOffered(_ path: String) -> Bool {
        hasForm(path) && !notZones.contains(path) && !isCopy(path) && abbreviations[path] == nil
            && path.first?.isUppercase == true
    }

    /// What a wrong name may have meant: zones of that place, else the nearest in spelling. At most three.
    static func near(_ name: String, in known: [String]) -> [String] {
        let wanted = place(name).lowercased().replacing(scalars: " ", with: "_")
        let same = known.filter { place($0).lowercased() == wanted }
        if !same.isEmpty {
            // Of several places with one name, first that of the same continent.
            return Array(same.sorted { area($0) == area(name) && area($1) != area(name) }.prefix(3))
        }
        if let whole = DidYouMean.nearest(to: name, in: known) { return [whole] }
        let places = known.map { place($0) }
        guard let nearest = DidYouMean.nearest(to: wanted, in: places, tolerance: .oneInThree) else { return [] }
        return Array(known.filter { place($0) == nearest }.prefix(3))
    }

    /// `GMT+1`, `UTC-03:30`, `+02:00`. `GMT+0` and `GMT-0` are names of the tz database.
    private static func isOffset(_ name: String) -> Bool {
        !["GMT+0", "GMT-0"].contains(name)
            && name.wholeMatch(of: /(?i:utc|gmt)?[+-][0-9]{1,2}(:?[0-9]{2})?/) != nil
    }

    /// The zone that has this offset of whole hours from UTC all year: of `GMT+1` it is `Etc/GMT-1`.
    private static func fixedZone(_ offset: String) -> String? {
        guard let match = offset.wholeMatch(of: /[A-Za-z]*([+-])0?([0-9]{1,2})(:?00)?/), let hours = Int(match.2) else {
            return nil
        }
        let isEast = match.1 == "+"
        guard (1...(isEast ? 14 : 12)).contains(hours) else { return nil }
        return "Etc/GMT\(isEast ? "-" : "+")\(hours)"
    }

    /// Parts of letters, digits, `_`, `+` and `-` with slashes between. None begins with a sign, so `..` is no part.
    private static func hasForm(_ name: String) -> Bool {
        name.utf8.count <= longest
            && name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
                part.utf8.first.map { isLetter($0) } == true
                    && part.utf8.allSatisfy {
                        isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || "_+-".utf8.contains($0)
                    }
            }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// The whole database once more: as it is, and with leap seconds.
    private static func isCopy(_ name: String) -> Bool { name.hasPrefix("posix/") || name.hasPrefix("right/") }

    private static func place(_ name: String) -> String { name.split(separator: "/").last.map(String.init) ?? name }
    private static func area(_ name: String) -> Substring { name.split(separator: "/").first ?? "" }
}
