#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Work on all cores.
enum Workers {
    /// The number of cores.
    static let count = max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)

    /// The results of a function for each input, in order. The calls run at the same time.
    static func map<Input: Sendable, Output: Sendable>(
        _ inputs: [Input], _ transform: @escaping @Sendable (Input) -> Output
    ) async -> [Output] {
        await withTaskGroup(of: (Int, Output).self) { group in
            for (index, input) in inputs.enumerated() {
                group.addTask { (index, transform(input)) }
            }
            var results: [Int: Output] = [:]
            for await (index, output) in group { results[index] = output }
            return inputs.indices.compactMap { results[$0] }
        }
    }
}
