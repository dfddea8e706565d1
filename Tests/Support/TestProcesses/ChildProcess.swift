package import Foundation
import TurnoutClient

/// A program that a test runs.
///
/// Foundation's `Process` is not suitable for tests on Linux. It notices the end of a program when a socket closes that
/// all programs started meanwhile inherit, and until then the ended program remains unreaped. Swift Testing waits for
/// any child, finds that one repeatedly, and never notices the end of an exit test. A program started by this class
/// inherits no descriptors (with glibc 2.34 or newer), and is reaped as soon as it ends.
package final class ChildProcess: Sendable {
    /// A program could not be started, or did not succeed.
    package struct Failure: Error, CustomStringConvertible {
        /// The description of the error.
        package let description: String
    }

    /// Where a program's output goes.
    package enum Output: Sendable { case discarded, inherited, pipe }

    /// The process id.
    package let id: Int32
    /// The other end of the program's standard input. Closed when this value is released.
    private let input: FileHandle
    private let output: FileHandle?
    private let state: State

    private final class State: Sendable {
        let status = Locked<Int32?>(nil)
        let ended = DispatchSemaphore(value: 0)
    }

    /// Starts a program, found as in a shell.
    ///
    /// - Parameters:
    ///   - program: A path, or the name of a program in `PATH`.
    ///   - arguments: The arguments after the name.
    ///   - environment: Variables added to those of this process.
    ///   - output: Where standard output goes. Default: discarded.
    ///   - errors: Where standard error goes; to the same pipe as the output if both are pipes. Default: discarded.
    ///   - passed: A descriptor that the program gets as number 3. Default: nil, none.
    /// - Throws: ``Failure`` if the program cannot be started.
    package init(
        _ program: String, _ arguments: [String] = [], environment: [String: String] = [:],
        output: Output = .discarded, errors: Output = .discarded, passing passed: Int32? = nil
    ) throws {
        let (toChild, fromChild) = (Pipe(), Pipe())
        let written = fromChild.fileHandleForWriting.fileDescriptor
        let spawn = Spawn(
            input: toChild.fileHandleForReading.fileDescriptor, output: output.descriptor(1, pipe: written),
            errors: errors.descriptor(2, pipe: written), passed: passed)
        id = try spawn.run(program, arguments, environment)
        input = toChild.fileHandleForWriting
        self.output = output == .pipe || errors == .pipe ? fromChild.fileHandleForReading : nil
        state = State()
        let (id, state) = (id, state)
        Thread.detachNewThread {
            // Locked while the process is reaped, so that no signal is sent to another process with the same id.
            var info = siginfo_t()
            while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            state.status.withLock { result in
                var (status, reaped) = (Int32(0), Int32(-1))
                repeat { reaped = waitpid(id, &status, 0) } while reaped < 0 && errno == EINTR
                // 255 if another caller has reaped it.
                result = reaped == id ? status : 255 << 8
            }
            state.ended.signal()
        }
    }

    deinit { closeInput() }

    /// Runs a program to its end, and returns its standard output, whether or not it succeeds.
    package static func output(of program: String, _ arguments: [String], input: Data = Data()) throws -> String {
        let process = try ChildProcess(program, arguments, output: .pipe)
        try process.write(input)
        process.closeInput()
        defer { process.waitUntilExit() }
        return try process.readToEnd()
    }

    /// Runs a program to its end.
    ///
    /// - Throws: ``Failure`` with the program's errors if it does not succeed.
    package static func run(_ program: String, _ arguments: [String]) throws {
        let process = try ChildProcess(program, arguments, errors: .pipe)
        process.closeInput()
        let errors = try process.readToEnd()
        let status = process.waitUntilExit()
        guard status == 0 else { throw Failure(description: "\(program) ended with status \(status): \(errors)") }
    }

    /// Whether the program has not ended yet.
    package var isRunning: Bool { state.status.withLock { $0 == nil } }

    /// Sends a signal, if the program has not ended.
    package func send(_ signal: Int32) { state.status.withLock { if $0 == nil { kill(id, signal) } } }

    /// Blocks until the program has ended, and returns its exit code, or the number of the signal that ended it, plus
    /// 128.
    @discardableResult package func waitUntilExit() -> Int32 {
        state.ended.wait()
        state.ended.signal()
        let status = state.status.withLock { $0 ?? 0 }
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    /// Kills the program, and waits for its end.
    package func end() {
        send(SIGKILL)
        waitUntilExit()
    }

    // MARK: - Input and output

    /// Writes to the program's standard input.
    package func write(_ data: Data) throws { try input.write(contentsOf: data) }

    /// Ends the program's standard input.
    package func closeInput() { try? input.close() }

    /// Reads the next line of output, or what is left at its end, without the newline.
    package func readLine() throws -> String {
        var line = Data()
        while let byte = try output?.read(upToCount: 1), !byte.isEmpty, byte.first != UInt8(ascii: "\n") {
            line += byte
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// Reads the remaining output.
    package func readToEnd() throws -> String { String(decoding: try output?.readToEnd() ?? Data(), as: UTF8.self) }
}

extension ChildProcess.Output {
    /// The descriptor to connect, or nil to discard the output.
    fileprivate func descriptor(_ standard: Int32, pipe: Int32) -> Int32? {
        switch self {
        case .discarded: nil
        case .inherited: standard
        case .pipe: pipe
        }
    }
}

/// The descriptors with which a program starts.
private struct Spawn {
    let input: Int32
    let output: Int32?
    let errors: Int32?
    let passed: Int32?

    #if canImport(Darwin)
        private typealias Actions = posix_spawn_file_actions_t?
        private typealias Attributes = posix_spawnattr_t?
    #else
        private typealias Actions = posix_spawn_file_actions_t
        private typealias Attributes = posix_spawnattr_t
    #endif

    /// Starts a program, and returns its process id.
    func run(_ program: String, _ arguments: [String], _ environment: [String: String]) throws -> Int32 {
        var (actions, attributes) = (Actions(), Attributes())
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        connect(&actions)
        start(&actions, &attributes)
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
        var id: pid_t = 0
        let failure = withCStrings([program] + arguments) { arguments in
            withCStrings(variables) { posix_spawnp(&id, program, &actions, &attributes, arguments, $0) }
        }
        guard failure == 0 else {
            throw ChildProcess.Failure(description: "cannot run \(program): \(String(cString: strerror(failure)))")
        }
        return id
    }

    private func connect(_ actions: inout Actions) {
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        for (descriptor, target) in [(output, Int32(1)), (errors, 2)] {
            if let descriptor {
                posix_spawn_file_actions_adddup2(&actions, descriptor, target)
            } else {
                posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_WRONLY, 0)
            }
        }
        if let passed { posix_spawn_file_actions_adddup2(&actions, passed, 3) }
    }

    /// All other descriptors are closed, no signal is blocked, and none is ignored: the calling thread may differ.
    private func start(_ actions: inout Actions, _ attributes: inout Attributes) {
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        var flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        #if canImport(Darwin)
            flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
            // glibc has this function since version 2.34; Swift's module of it does not declare it.
            typealias CloseFrom = @convention(c) (UnsafeMutablePointer<Actions>, Int32) -> Int32
            if let address = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") {
                _ = unsafeBitCast(address, to: CloseFrom.self)(&actions, passed == nil ? 3 : 4)
            }
        #endif
        posix_spawnattr_setflags(&attributes, Int16(flags))
    }

    private func withCStrings<Result>(_ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
