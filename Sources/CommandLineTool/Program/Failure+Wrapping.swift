import Files

extension Failure {
    /// Runs `body`; an error of it becomes the reason of a failure.
    ///
    /// - Parameter what: what was tried, or what is wrong.
    package static func wrapping<Value, Fault: Error>(
        _ what: @autoclosure () -> String, hint: String? = nil, status: ExitStatus = .badInput,
        _ body: () throws(Fault) -> Value
    ) throws(Failure) -> Value {
        do throws(Fault) {
            return try body()
        } catch {
            throw Failure(what(), because: "\(error)", hint: hint, status: status)
        }
    }

    /// Runs `body`, which writes the file `path`.
    package static func writing<Value>(
        _ path: String, _ body: () throws(FileFault) -> Value
    ) throws(Failure) -> Value {
        do throws(FileFault) {
            return try body()
        } catch {
            throw Failure("cannot write \(path)", because: error.reason, status: .cannotWrite)
        }
    }
}
