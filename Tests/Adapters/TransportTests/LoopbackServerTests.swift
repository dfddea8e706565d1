import Foundation

@Suite(.blocking) struct LoopbackServerTests {
    @Test func aServerEndsWithItsParentProcess() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let server = try LoopbackServer()
            FileHandle.standardError.write(Data("server \(server.processID)\n".utf8))
            kill(getpid(), SIGKILL)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("server ") })
        let id = try #require(Int32(line.dropFirst("server ".count)))
        try await wait("the end of the server") { !isRunning(id) }
    }

    func isRunning(_ id: Int32) -> Bool {
        guard kill(id, 0) == 0 else { return false }
        // A zombie process is still listed.
        let state = (try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)) ?? ""
        return !state.contains(") Z ")
    }
}
