import Glibc

/// What became of the requests.
struct Tally {
    var accepted = 0
    /// Milliseconds from submitting a request to its reply; only `Driver.start` measures it.
    var longest = 0.0

    /// By the number of the request; only of `Driver.sendAgain`, as what is below.
    var ends: [End] = []
    var inDoubt = 0
    /// How often one was certainly not sent, and was submitted once more.
    var sentAgain = 0

    enum End: UInt8 {
        case none
        case answered
        case inDoubt
        /// With a status other than 200.
        case refused
    }

    struct NotWritten: Error {
        var file: String
    }

    func write(to file: String) throws {
        guard let stream = fopen(file, "wb") else { throw NotWritten(file: file) }
        let bytes = ends.map(\.rawValue)
        let written = fwrite(bytes, 1, bytes.count, stream)
        guard fclose(stream) == 0, written == bytes.count else { throw NotWritten(file: file) }
    }
}
