import HTTPTypes
import Pages
import PushModel

/// What a request has to be before the console asks who sent it: on a way that the settings know, to a name of the
/// console, and from one of its own pages.
struct Entrance: Sendable {
    var forwarded: ForwardedPolicy
    var hosts: HostHeaderPolicy

    /// - Parameter address: the other end of the connection, as `PeerConnection` has it.
    /// - Throws: `DoorRefusal` with 403, or 421 (RFC 9110 section 15.5.20) for a host that is not one of this console.
    func arrival(of request: HTTPRequest, from address: String?) throws(DoorRefusal) -> Arrival {
        let arrival = try forwarded.arrival(of: request, from: address.flatMap { IPAddress($0) })
        // A script of another site, whose name leads here (DNS rebinding), writes what a proxy writes; it cannot write
        // Host.
        for host in arrival.hosts where !hosts.isOwn(host: host) {
            throw DoorRefusal(
                status: 421,
                words: "\"\(host.prefix(200))\" is not a name of this console. Its names are localhost, the address "
                    + "that it listens on, and those in console.hosts.")
        }
        try SameSitePolicy.check(request, arrival)
        return arrival
    }
}
