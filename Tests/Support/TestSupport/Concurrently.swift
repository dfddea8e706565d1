/// Runs a body for each element at the same time, each in a task of its own, and waits for all.
package func concurrently<Element: Sendable, Failure: Error>(
    _ elements: some Sequence<Element>, _ body: @escaping @Sendable (Element) async throws(Failure) -> Void
) async throws(Failure) {
    let results = await withTaskGroup(of: Result<Void, Failure>.self) { group in
        for element in elements {
            group.addTask {
                do throws(Failure) { return .success(try await body(element)) } catch { return .failure(error) }
            }
        }
        return await group.reduce(into: []) { $0.append($1) }
    }
    for result in results { try result.get() }
}
