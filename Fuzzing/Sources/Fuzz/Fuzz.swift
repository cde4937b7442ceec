import Foundation

/// The parser under test, by its name in `FUZZ`; chosen once, before the first input.
private let check: @Sendable ([UInt8]) -> String? = {
    let name = ProcessInfo.processInfo.environment["FUZZ"] ?? ""
    if let check = ParserCheck(rawValue: name) {
        return { bytes in
            do throws(ParserCheck.Broken) { try check.run(bytes) } catch { return error.promise }
            return nil
        }
    }
    if let check = AnswerCheck(rawValue: name) {
        return { bytes in
            do throws(AnswerCheck.Broken) { try check.run(bytes) } catch { return error.promise }
            return nil
        }
    }
    let names = ParserCheck.allCases.map(\.rawValue) + AnswerCheck.allCases.map(\.rawValue)
    fatalError("FUZZ must be one of \(names.joined(separator: ", "))")
}()

/// libFuzzer's door: one input. A promise that does not hold ends the process, and libFuzzer keeps the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    if let broken = check(Array(UnsafeBufferPointer(start: start, count: count))) { fatalError(broken) }
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
