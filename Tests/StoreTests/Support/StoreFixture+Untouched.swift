extension StoreFixture {
    /// One database for all tests that leave nothing in it, because what they write is refused or undone: to clone one for each
    /// of their 400 cases took longer than the cases. Its tables are empty whenever such a test looks.
    static var untouched: StoreFixture { get async throws { try await shared.value } }

    private static let shared = Task { try await make() }
}
