import Foundation

/// The parser under test, by its name in `FUZZ`; chosen once, before the first input.
private let check: ParserCheck = {
    let name = ProcessInfo.processInfo.environment["FUZZ"] ?? ""
    guard let check = ParserCheck(rawValue: name) else {
        fatalError("FUZZ must be one of \(ParserCheck.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return check
}()

/// libFuzzer's door: one input. A promise that does not hold ends the process, and libFuzzer keeps the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do throws(ParserCheck.Broken) {
        try check.run(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        fatalError(error.promise)
    }
    return 0
}

/// libFuzzer's own `main` calls this too. SwiftPM gives `main` to the program, so the program has to.
@_silgen_name("LLVMFuzzerRunDriver")
private func drive(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

@main
enum Fuzz {
    static func main() {
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        exit(drive(&count, &arguments, fuzz))
    }
}
