import HTTPTypes

extension HTTPRequest {
    /// A request as it comes to a console on this machine.
    static func of(
        _ method: HTTPRequest.Method = .get, _ path: String = "/", host: String = "127.0.0.1:9470",
        _ fields: [(String, String)] = []
    ) -> HTTPRequest {
        var headers = HTTPFields()
        // Names of tests, so they are tokens.
        for (name, value) in fields { headers.append(HTTPField(name: HTTPField.Name(name)!, value: value)) }
        return HTTPRequest(method: method, scheme: "http", authority: host, path: path, headerFields: headers)
    }
}
