import Pages

/// For `/` and `/_emulator/`, which need no key.
extension HostHeaderPolicy {
    /// - Returns: the refusal. nil: the request is allowed.
    func refusal(of request: EmulatorRequest) -> Response? {
        switch refusal(
            method: request.method, host: request.host, site: request.origin, origin: request[.origin])
        {
        case .host(let host):
            AdminRoutes.problem(
                421, "the Host \(host) is not a name of this emulator: use 127.0.0.1, localhost or its address")
        case .origin(let origin): AdminRoutes.problem(403, "a page of \(origin) may not change anything here")
        case nil: nil
        }
    }
}
