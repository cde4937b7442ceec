/// Somebody who is signed in.
public struct Person: Sendable, Hashable {
    /// What `push.person` and the header of each page have.
    public var name: String
    public var rights: Set<Right>
    /// Whether transactions set the role of what is asked for, and name the person. False: the console has the login of this one
    /// person (`fanfare console`), and its own rights count.
    public var sharesLogin: Bool

    public init(_ name: String, rights: Set<Right>, sharesLogin: Bool = true) {
        self.name = name
        self.rights = rights
        self.sharesLogin = sharesLogin
    }

    public func may(_ right: Right) -> Bool { rights.contains(right) }

    /// With which of some rights the person does something that one of them is enough for; nil: none is theirs.
    func first(of rights: [Right]) -> Right? { rights.first(where: may) }

    func maySee(_ page: any ConsolePage.Type) -> Bool { page.rights.isEmpty || first(of: page.rights) != nil }
}
