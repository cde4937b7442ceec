import Pages

/// Which places a person is shown. A place that is not shown is not protected by that: each page asks for its right.
enum Navigation {
    static func places(for person: Person) -> [Place] {
        Place.allCases.filter { place in
            guard let page = Router.page(at: place.path, FormFields("")) else { return false }
            return person.maySee(type(of: page))
        }
    }
}
