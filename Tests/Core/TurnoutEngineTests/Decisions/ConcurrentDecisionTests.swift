import TestSupport
import Testing
import TurnoutEngine

/// A project can be shared by any number of threads.
@Suite struct ConcurrentDecisionTests {
    @Test(arguments: [1, 2, 8, 32]) func decisionsAreTheSameOnManyThreads(tasks: Int) async throws {
        let project = try ExampleShop.project()
        let users =
            try ExampleShop.users()
            + (0..<rounds(10, thorough: 40)).map { User("user \($0)", attributes: ["country": "US", "orders": 5]) }
        let expected = users.map { Self.answers(project, $0) }
        let results = await withTaskGroup(of: [[String]].self) { group in
            for task in 0..<tasks {
                group.addTask {
                    // Each task starts at another user, so that they evaluate different flags at a time.
                    let order = users[(task % users.count)...] + users[..<(task % users.count)]
                    let answers = order.map { Self.answers(project, $0) }
                    let split = users.count - task % users.count
                    return Array(answers[split...] + answers[..<split])
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count == tasks)
        #expect(results.allSatisfy { $0 == expected })
    }

    /// Decisions retain their project, which may be replaced while they are read.
    @Test func decisionsRetainTheirProject() async throws {
        var project: Project? = try ExampleShop.project()
        let decisions = try #require(project).decideAll(for: User("u"), options: .includeReasons).decisions
        let expected = decisions.map(\.summary)
        project = nil
        let summaries = await Task.detached { decisions.map(\.summary) }.value
        #expect(summaries == expected)
    }

    private static func answers(_ project: Project, _ user: User) -> [String] {
        project.decideAll(for: user, predictions: .received([:]), options: .includeReasons).decisions.map(\.summary)
            + project.flags.map { project.decide($0.key, for: user).summary }
    }
}
