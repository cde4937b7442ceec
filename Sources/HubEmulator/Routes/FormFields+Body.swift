import Pages

extension FormFields {
    /// - Throws: `EmulatorError` for a body that was too large.
    init(_ body: UploadedBody) throws(EmulatorError) {
        guard let bytes = body.bytes else { throw EmulatorError("the form is larger than 65536 bytes") }
        self.init(String(decoding: bytes, as: UTF8.self)[...])
    }
}
