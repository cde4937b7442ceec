import HTTPServer
import HTTPTypes

/// Who stands at the entrance of the console: looks at each request before anything else does.
package protocol Door: Sendable {
    /// Called on an event loop: must not block.
    func admit(_ request: HTTPRequest, on connection: PeerConnection) -> Admission
}

/// What the door decides about a request.
package enum Admission: Sendable {
    /// It comes from this person.
    case person(Person)
    /// It gets this answer and no page: who asks is not known, or the request is not one for this console.
    case answered(RequestPlan)
}
