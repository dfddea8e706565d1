import LibC

/// Runs work on all cores.
enum Workers {
    static let count = max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)

    /// Calls a function for each input in parallel, and returns the results in order.
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
