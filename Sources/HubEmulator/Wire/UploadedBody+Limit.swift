import HTTPServer
import PushModel

extension UploadedBody {
    /// The most bytes a request may have, other than a batch.
    static let limit = Post.bodyLimit
}
