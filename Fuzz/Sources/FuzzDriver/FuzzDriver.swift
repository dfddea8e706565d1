/// libFuzzer's loop. `Scripts/prove fuzz` links the library without its own `main`.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Calls a function with libFuzzer's inputs, until it crashes or the time is up.
public func fuzz(_ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt) {
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    _ = runDriver(&count, &arguments, test)
}

/// The bytes of an input as an array.
public func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    Array(UnsafeBufferPointer(start: start, count: count))
}
