import CommandLineTool
import Glibc

/// What a person types at the terminal without its being shown.
enum HiddenInput {
    /// Asks on standard error, reads one line from standard input, and gives the terminal back as it was, also where a signal
    /// ends the program.
    ///
    /// - Precondition: standard input is a terminal, and nobody else reads it or changes its settings.
    /// - Returns: the bytes without the line's end; as far as they came where the terminal went away.
    static func line(askedBy prompt: String) throws(Failure) -> [UInt8] {
        guard tcgetattr(STDIN_FILENO, &before) == 0 else {
            throw Failure(
                "cannot hide what is typed", because: String(cString: strerror(errno)),
                hint: "Write it to standard input: fanfare console password < FILE", status: .badInput)
        }
        var hiding = before
        hiding.c_lflag &= ~tcflag_t(ECHO)
        let handlers = endings.map { ($0, signal($0, giveBackAndEnd)) }
        // What was typed before the question does not answer it.
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hiding)
        defer {
            tcsetattr(STDIN_FILENO, TCSANOW, &before)
            for (number, handler) in handlers { signal(number, handler) }
            StandardStreams.printProgress("\n")  // the line end that was typed is not shown either
        }
        StandardStreams.printProgress(prompt)
        return try read()
    }

    private static func read() throws(Failure) -> [UInt8] {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = Glibc.read(STDIN_FILENO, &byte, 1)
            if count == 0 || count > 0 && byte == UInt8(ascii: "\n") { return line }
            if count > 0 { line.append(byte) }
            guard count > 0 || errno == EINTR else {
                throw Failure("cannot read the terminal", because: String(cString: strerror(errno)), status: .badInput)
            }
        }
    }

    /// What a person or the system ends a program with.
    private static let endings = [SIGINT, SIGQUIT, SIGTERM, SIGHUP]

    /// What the terminal was. Written by one task before the handlers are there that read it, and not while they are.
    nonisolated(unsafe) private static var before = termios()

    /// Calls only what a handler of signals may (signal-safety(7)).
    private static let giveBackAndEnd: @convention(c) (Int32) -> Void = { number in
        tcsetattr(STDIN_FILENO, TCSANOW, &before)
        signal(number, SIG_DFL)
        raise(number)
    }
}
