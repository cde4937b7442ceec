import CNghttp2

/// The header fields of one request, in memory that serves one request after the other: nghttp2 copies what it needs.
/// Confined to the loop thread.
final class RequestFields {
    private var fields = UnsafeMutableBufferPointer<nghttp2_nv>.allocate(capacity: 32)
    private var text = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 1)
    private let userAgent: String?

    /// Names that every request has.
    private static let names = ConstantFields()

    init(userAgent: String?) { self.userAgent = userAgent }

    deinit {
        fields.deallocate()
        text.deallocate()
    }

    /// What the request says in its header block. The lines of this request alone are not indexed by HPACK: they would fill
    /// the server's table with values that never come again.
    ///
    /// - Parameters:
    ///   - path: offset in the URL at which it begins; the end of the URL: it is `/`.
    func fill(_ request: Request, to origin: HTTP2Origin, path: Int) -> UnsafeBufferPointer<nghttp2_nv> {
        let shared = request.shared.fields
        reserve(request, shared.all.count)
        let names = Self.names
        let stays = FieldText.nameStays | FieldText.valueStays
        let once = FieldText.nameStays | FieldText.notIndexed
        var (count, end) = (0, 0)
        func add(_ field: nghttp2_nv) {
            fields.initializeElement(at: count, to: field)
            count += 1
        }
        func add(_ name: UnsafeMutableRawBufferPointer, _ value: UnsafeMutableRawBufferPointer, _ flags: UInt8) {
            add(FieldText.field(name, value, flags: flags))
        }
        add(names.method, names.value(of: request.method), stays)
        add(names.scheme, origin.scheme, stays)
        add(names.authority, origin.authority, stays)
        add(names.path, copy(request.url, from: path, at: &end), once)
        for field in shared.all { add(field) }
        if let userAgent, !shared.hasUserAgent {
            add(names.userAgent, FieldText.copy(userAgent, to: text, at: &end), FieldText.nameStays)
        }
        for line in request.headers {
            let name = FieldText.copy(line.name, to: text, at: &end, lowerCased: true)
            add(name, FieldText.copy(line.value, to: text, at: &end), FieldText.notIndexed)
        }
        if request.method != .get {
            add(names.contentLength, FieldText.copy(String(request.body.count), to: text, at: &end), once)
        }
        return UnsafeBufferPointer(rebasing: fields[..<count])
    }

    private func copy(_ url: String, from start: Int, at end: inout Int) -> UnsafeMutableRawBufferPointer {
        var url = url
        return url.withUTF8 { bytes in
            guard start < bytes.count else { return Self.names.root }
            let place = UnsafeMutableRawBufferPointer(rebasing: text[end..<end + bytes.count - start])
            place.copyMemory(from: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[start...])))
            end += place.count
            return place
        }
    }

    private func reserve(_ request: Request, _ shared: Int) {
        let lines = request.headers.count + shared + 7
        if lines > fields.count {
            fields.deallocate()
            fields = .allocate(capacity: 2 * lines)
        }
        var bytes = request.url.utf8.count + (userAgent?.utf8.count ?? 0) + 20
        for line in request.headers { bytes += line.name.utf8.count + line.value.utf8.count }
        if bytes > text.count {
            text.deallocate()
            text = .allocate(byteCount: 2 * bytes, alignment: 1)
        }
    }
}

/// Texts that stay for the life of the process.
// They point at static strings, which nobody can write.
struct ConstantFields: @unchecked Sendable {
    let method = constant(":method"), scheme = constant(":scheme"), authority = constant(":authority")
    let path = constant(":path"), userAgent = constant("user-agent"), contentLength = constant("content-length")
    let root = constant("/")
    private let get = constant("GET"), post = constant("POST"), put = constant("PUT"), patch = constant("PATCH")
    private let delete = constant("DELETE")

    func value(of method: Request.Method) -> UnsafeMutableRawBufferPointer {
        switch method {
        case .get: get
        case .post: post
        case .put: put
        case .patch: patch
        case .delete: delete
        }
    }

    private static func constant(_ text: StaticString) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(
            start: UnsafeMutableRawPointer(mutating: text.utf8Start), count: text.utf8CodeUnitCount)
    }
}
