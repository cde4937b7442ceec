import Pages

/// Which page an address means.
enum Router {
    /// Every page of the console. The first one that knows an address has it.
    static let pages: [any ConsolePage.Type] = [
        OverviewPage.self, HubPage.self, MessagesPage.self, StoryPage.self, FailuresPage.self, DevicesPage.self,
        CampaignsPage.self, CampaignWritePage.self, CampaignPage.self, RunPage.self, AuditPage.self, ActionsPage.self,
        AboutPage.self,
    ]

    /// - Parameter path: the segments behind the console's base path, percent-decoded.
    /// - Returns: nil: no page has this address.
    static func page(at path: [String], _ fields: FormFields) -> (any ConsolePage)? {
        for page in pages {
            if let page = page.init(path: path, fields: fields) { return page }
        }
        return nil
    }

    /// The first place in the navigation that the person may see.
    static func home(of person: Person) -> Place { Navigation.places(for: person).first ?? .about }

    /// The path without the base path.
    ///
    /// - Returns: nil: it is not below it.
    static func segments(of target: RequestTarget, below base: String) -> [String]? {
        let base = base.split(separator: "/").map(String.init)
        guard target.segments.starts(with: base) else { return nil }
        return Array(target.segments.dropFirst(base.count))
    }
}
