/// What a look at an installation found at one place: `fanfare doctor` lists all of them, the console those that are wrong.
package struct Finding: Sendable, Equatable {
    package enum Grade: String, Sendable, CaseIterable {
        case ok
        /// Not looked at: the role may not.
        case skip
        /// Works, and will not for long or not as meant.
        case warn
        case fail
    }

    /// `libraries`, `configuration`, `database`, `workers`, `hub news`.
    package var area: String
    package var name: String
    package var grade: Grade
    /// What there is.
    package var found: String
    /// What to do about it; nil when it is as it should be, or was not looked at.
    package var remedy: String?
    /// Since when it has been so, ISO 8601; nil: not known.
    package var since: String?

    package init(
        area: String, name: String, grade: Grade, found: String, remedy: String? = nil, since: String? = nil
    ) {
        (self.area, self.name, self.grade) = (area, name, grade)
        (self.found, self.remedy, self.since) = (found, remedy, since)
    }

    package static func ok(_ area: String, _ name: String, _ found: String) -> Finding {
        Finding(area: area, name: name, grade: .ok, found: found)
    }

    package static func skip(_ area: String, _ name: String, _ found: String) -> Finding {
        Finding(area: area, name: name, grade: .skip, found: found)
    }

    package static func warn(
        _ area: String, _ name: String, _ found: String, remedy: String, since: String? = nil
    ) -> Finding {
        Finding(area: area, name: name, grade: .warn, found: found, remedy: remedy, since: since)
    }

    package static func fail(_ area: String, _ name: String, _ found: String, remedy: String) -> Finding {
        Finding(area: area, name: name, grade: .fail, found: found, remedy: remedy)
    }

    /// Nothing or a list of troubles.
    package static func list(
        _ area: String, _ name: String, _ troubles: [String], none: String, as grade: Grade, remedy: String
    ) -> Finding {
        guard !troubles.isEmpty else { return ok(area, name, none) }
        let shown = troubles.prefix(5).joined(separator: "; ")
        let more = troubles.count > 5 ? "; and \(troubles.count - 5) more" : ""
        return Finding(area: area, name: name, grade: grade, found: shown + more, remedy: remedy)
    }
}
