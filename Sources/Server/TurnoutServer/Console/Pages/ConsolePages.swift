import TurnoutReports

/// All pages, with what they are made of.
struct ConsolePages: Sendable {
    /// A page, and who may see it.
    struct Page: Sendable {
        let method: String
        let path: String
        let summary: String
        let scope: ManagementScope
        let part: ConsolePage.Part
        /// Makes the page. Blocks.
        let content: @Sendable (ConsoleRequest) throws -> ConsolePage

        init(
            _ method: String, _ path: String, _ summary: String, _ scope: ManagementScope, in part: ConsolePage.Part,
            content: @escaping @Sendable (ConsoleRequest) throws -> ConsolePage
        ) {
            (self.method, self.path, self.summary) = (method, Console.path + path, summary)
            (self.scope, self.part, self.content) = (scope, part, content)
        }
    }

    let results: ResultsPage
    let live: LivePage
    let flags: FlagsPage
    let flag: FlagPage
    let users: UsersPage
    let health: HealthPage
    let changes: ChangePages

    var all: [Page] {
        [
            Page("GET", "experiments", "what experiments have shown", .read, in: .experiments, content: results.list),
            Page(
                "GET", "experiments/{key}", "what an experiment has shown", .read, in: .experiments,
                content: results.report),
            Page("GET", "live", "the last events", .events, in: .live, content: live.page),
            Page("POST", "live", "some of the last events", .events, in: .live, content: live.page),
            Page("GET", "", "all flags", .read, in: .flags, content: flags.page),
            Page("GET", "flags/{key}", "a flag", .read, in: .flags, content: flag.page),
            Page("GET", "users", "a form for a user", .events, in: .users, content: users.page),
            Page("POST", "users", "why a user gets what", .events, in: .users, content: users.page),
            Page("GET", "health", "whether the server works, in words", .read, in: .health) { _ in health.page },
        ] + changes.all + [
            // Last, as the first route that matches answers.
            Page("GET", "{path…}", "says that there is no such page", .read, in: .flags) { _ in
                .problem(404, "There is no such page", "The menu above leads to all pages.")
            }
        ]
    }
}
