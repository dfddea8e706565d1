import TestSupport

/// Nothing of a server stays in memory, and no file stays open, when the server has stopped.
@Suite struct ReleaseTests {
    @Test func aStoppedServerIsReleased() async throws {
        var server: LiveServer? = try LiveServer()
        weak let directory = server?.directory
        _ = try await server?.decide()
        await server?.stop()
        server = nil
        try await wait("the server is released") { directory == nil }
    }
}
