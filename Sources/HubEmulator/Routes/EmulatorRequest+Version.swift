extension EmulatorRequest {
    /// nil: the query names none, which the service takes as its newest.
    ///
    /// - Throws: 400 for one that never was. The text is ours.
    func apiVersion() throws(ServiceError) -> APIVersion? {
        guard let text = parameter("api-version") else { return nil }
        guard let version = APIVersion(text) else {
            throw .badRequest("The api-version '\(text.prefix(40))' is not supported.")
        }
        return version
    }

    /// Where the version is not what matters; nil too for one that never was.
    var version: APIVersion? { parameter("api-version").flatMap { APIVersion($0) } }
}
