import Foundation

extension Client {
    /// A reply as it came.
    public struct Reply: Sendable {
        public let status: Int
        /// Names in lower case.
        public let headers: [String: String]
        public var body = ""

        init(head: String) throws {
            let lines = head.components(separatedBy: "\r\n")
            let words = lines[0].split(separator: " ")
            guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
                throw Failure.notHTTP(lines[0])
            }
            var headers: [String: String] = [:]
            for line in lines.dropFirst() where line.contains(":") {
                let parts = line.split(separator: ":", maxSplits: 1)
                headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
            }
            self.status = status
            self.headers = headers
        }

        /// Whether its end is known by its head: it has a length, or it never has a body.
        var hasLength: Bool {
            headers["content-length"] != nil || status < 200 || status == 204 || status == 304
        }
    }
}
