import CommandLineTool
import Providers
import PushModel

/// The list of a hub's registrations, page by page. A page that does not fit into a reply is asked for again with fewer
/// registrations.
final class RegistrationPages {
    /// Why there is no next page.
    enum Fault: Error {
        /// The hub does not give it.
        case refused(InstallationAnswer)
        /// What it gives is no whole page, or one registration alone is larger than a reply may be.
        case noPage
    }

    private let requests: InstallationRequests
    private let tag: String?
    private var continuation: String?
    private var top = 100
    private var isAtEnd = false

    /// - Parameter tag: only those that have it; nil: all.
    init(_ requests: InstallationRequests, of tag: String? = nil) {
        self.requests = requests
        self.tag = tag
    }

    /// - Returns: nil: that was all.
    /// - Throws: `Fault`; after it the same page is asked for again. Also what `InstallationRequests.run` throws.
    func next() async throws -> RegistrationPage? {
        while !isAtEnd {
            let (after, count) = (continuation, top)
            let answer = try await requests.run { [tag] installations, pass throws(InvalidInstallation) in
                try installations.request(registrations: count, of: tag, after: after, with: pass)
            }
            guard answer.verdict == .accepted else { throw Fault.refused(answer) }
            guard let page = RegistrationPage(body: answer.body) else {
                // A reply keeps 64 kB, and a registration with a large template is a few of them.
                guard top > 1 else { throw Fault.noPage }
                top /= 2
                continue
            }
            continuation = answer.continuation
            isAtEnd = continuation == nil
            return page
        }
        return nil
    }
}
