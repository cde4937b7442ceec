public import HTTPTypes
import Pages
public import PushModel

/// What the settings say about who may enter a console. All of it may change while the console is open.
public struct DoorSettings: Sendable {
    public var people: People
    /// Names of the console beside the loopback's and the address it listens on, with or without a port
    /// (`console.hosts`).
    public var hosts: [String]
    /// Addresses and networks of proxies in front of it (`console.proxies`).
    public var proxies: [AddressRange]
    /// The field in which those proxies name the person (`console.userHeader`). nil (default): persons sign in here.
    public var userHeader: HTTPField.Name?

    public init(
        people: People, hosts: [String] = [], proxies: [AddressRange] = [], userHeader: HTTPField.Name? = nil
    ) {
        self.people = people
        self.hosts = hosts
        self.proxies = proxies
        self.userHeader = userHeader
    }

    /// - Parameter listening: the address that the console listens on.
    func entrance(listening: String) -> Entrance {
        Entrance(
            forwarded: ForwardedPolicy(proxies: proxies, userHeader: userHeader),
            hosts: HostHeaderPolicy(listening: listening, others: .listed(hosts)))
    }
}
