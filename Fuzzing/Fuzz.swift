import Foundation

private typealias Check = @Sendable ([UInt8]) throws -> Void

/// The checks of one type, each by the name of its parser.
private func checks<Parser: CaseIterable & RawRepresentable<String> & Sendable>(
    _ run: @escaping @Sendable (Parser, [UInt8]) throws -> Void
) -> [(String, Check)] {
    Parser.allCases.map { parser in (parser.rawValue, { bytes in try run(parser, bytes) }) }
}

/// The parser under test, by its name in `FUZZ`; chosen once, before the first input.
private let check: Check = {
    let all =
        checks { (parser: ParserCheck, bytes) in try parser.run(bytes) }
        + checks { (parser: AnswerCheck, bytes) in try parser.run(bytes) }
        + checks { (parser: FCMCheck, bytes) in try parser.run(bytes) }
        + checks { (parser: APNsCheck, bytes) in try parser.run(bytes) }
        + checks { (parser: RowCheck, bytes) in try parser.run(bytes) }
        + checks { (parser: FieldCheck, bytes) in try parser.run(bytes) }
        + checks { (parser: LocatedJSONCheck, bytes) in try parser.run(bytes) }
    let name = ProcessInfo.processInfo.environment["FUZZ"] ?? ""
    guard let chosen = all.first(where: { $0.0 == name }) else {
        fatalError("FUZZ must be one of \(all.map(\.0).joined(separator: ", "))")
    }
    return chosen.1
}()

/// The entry point of libFuzzer: runs one input. A failed check ends the process, and libFuzzer keeps the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do { try check(Array(UnsafeBufferPointer(start: start, count: count))) } catch { fatalError("\(error)") }
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
