import Pages

/// Which places a person is shown. A place that is not shown is not protected by that: each page asks for its right.
enum Navigation {
    static func places(for person: Person) -> [Place] {
        Place.allCases.filter { place in
            guard Router.page(at: place.path, FormFields("")) != nil else { return false }
            return switch place {
            case .overview, .messages, .failures, .devices: person.may(.look)
            case .audit: person.may(.operate)
            case .campaigns: person.may(.look) || person.may(.campaigns) || person.may(.approve)
            case .about: true
            }
        }
    }
}
