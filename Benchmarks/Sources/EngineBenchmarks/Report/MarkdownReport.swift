import Foundation

/// The figures as a Markdown page.
struct MarkdownReport {
    let figures: [Figure]
    let machine: String
    /// Notes on limits that are not met, in Markdown.
    let findings: String?

    var text: String {
        var parts = [introduction]
        for (title, works) in Self.sections {
            let rows = figures.filter {
                works.contains($0.work) && !Self.threadMetrics.contains($0.metric)
                    && Expectation.expectation(for: $0) != nil
            }
            guard !rows.isEmpty else { continue }
            parts.append("## \(title)\n\n\(table(rows))")
        }
        parts.append("## With 1, 2 and 16 threads\n\n\(threadTable)")
        parts.append(unreached)
        if let findings { parts.append("## Where the time goes\n\n\(findings)") }
        parts.append(method)
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static let sections: [(String, [Work])] = [
        ("Deciding", [.decide, .newUser, .reasons, .trace, .decideAll]),
        ("Loading", [.load, .coldLoad]),
        (
            "Events",
            [
                .impression, .batches, .durableEvent, .acceptedEvents, .awaitedEvents, .awaitedBatches, .awaitedByTask,
                .awaitedByTasks, .waitingEvents,
            ]
        ),
        (
            "Through `TurnoutClient`",
            [
                .clientDecide, .clientNewUser, .clientValue, .clientTyped, .clientEvent, .clientStatus, .clientMetrics,
            ]
        ),
        (
            "Through `Optimizely`",
            [
                .facadeDecide, .facadeNewUser, .facadeDecideAll, .facadeContext, .facadeOwnProfiles,
                .facadeDefaultProfiles, .facadeEvent, .facadeSize,
            ]
        ),
        ("The command, and starting", [.startCommand, .commandUsers, .commandImpact, .startWithNetwork]),
        (
            "Stores of assignments",
            [
                .redisRound, .redisDecisions, .redisUser, .memcachedRound, .memcachedDecisions, .cachedStore,
                .cachedStoreWaiting,
            ]
        ),
    ]

    private var introduction: String {
        """
        # What deciding costs

        `make bench` writes this page. `results.json` contains every figure; the tables show the figures with a target \
        or a known competitor. `counts.json` contains the counts that `Scripts/prove` compares with. "Vendor" is the \
        vendor's Swift SDK, "best peer" is the fastest of its other SDKs. For scale, a hand-written C program decides \
        in 0.05 µs (large file 0.22 µs) and loads the large file in 1.7 ms. The figures of other programs are from the \
        same kind of machine, but not from this run. The `generated-…` rows can be reproduced anywhere; the others \
        need real datafiles, see the end.
        """
    }

    private func table(_ rows: [Figure]) -> String {
        var lines = [
            "| Work | Datafile | Metric | Measured | Must reach | | Vendor | Best peer |",
            "| --- | --- | --- | ---: | ---: | --- | ---: | ---: |",
        ]
        for row in rows {
            let expectation = Expectation.expectation(for: row)
            let verdict = expectation?.isMet(by: row.value).map { $0 ? "reached" : "**not reached**" } ?? ""
            let cells = [
                row.work.title, row.datafile, row.metric.rawValue, row.metric.text(row.value),
                expectation?.limitText ?? "–", verdict, expectation?.vendor ?? "–", expectation?.peer ?? "–",
            ]
            lines.append("| \(cells.joined(separator: " | ")) |")
        }
        return lines.joined(separator: "\n")
    }

    private static let threadMetrics: [Metric] = [.twoThreads, .sixteenThreads]

    /// A row for each work: the processor time per operation and the operations per second of all threads.
    private var threadTable: String {
        var lines = [
            "| Work | Datafile | CPU, 1 thread | 2 | 16 | 2 to 1 | 16 to 1 | | Per second, 1 thread | 2 | 16 |",
            "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: |",
        ]
        for ratio in figures where ratio.metric == .sixteenThreads {
            let own = figures.filter { $0.work == ratio.work && $0.datafile == ratio.datafile }
            func texts(_ metric: Metric) -> [String] {
                own.filter { $0.metric == metric && $0.threads != nil }.map { metric.text($0.value) }
            }
            let two = own.first { $0.metric == .twoThreads }.map { $0.metric.text($0.value) } ?? "–"
            let isMet = Expectation.expectation(for: ratio)?.isMet(by: ratio.value) != false
            let cells =
                [ratio.work.title, ratio.datafile] + texts(.cpuTime) + [two, ratio.metric.text(ratio.value)]
                + [isMet ? "reached" : "**not reached**"] + texts(.operationsPerSecond)
            lines.append("| \(cells.joined(separator: " | ")) |")
        }
        return lines.joined(separator: "\n")
    }

    private var unreached: String {
        let rows = figures.compactMap { figure -> String? in
            guard let expectation = Expectation.expectation(for: figure), expectation.isMet(by: figure.value) == false
            else { return nil }
            return "- \(figure.work.title), \(figure.datafile), \(figure.metric.rawValue): "
                + "\(figure.metric.text(figure.value)), must reach \(expectation.limitText)"
        }
        return "## Not reached\n\n" + (rows.isEmpty ? "Nothing: all rows are reached." : rows.joined(separator: "\n"))
    }

    private var method: String {
        """
        ## How it was measured

        \(machine)

        - *cpu time* is the processor time of the thread per operation: the median of \(Stopwatch.runs) runs of at \
        least 20 ms. *wall time* is elapsed time, the median of 41 runs. Decisions per second of the command also use \
        elapsed time, the median of 5 runs, so other programs on the machine affect them.
        - Flags rotate; the user changes after 64 decisions. Each of 64 users has five attributes that the datafile's \
        audiences use; half of the values match a condition. Each run reads the variation key, the rule key and "is \
        on" of each decision, the reasons or the stages of the trace where the row names them, and only "is on" for \
        all flags.
        - *allocations* are calls of the C library's allocator; *instructions* are counted by Valgrind, as the \
        difference between two runs, one of which decides twice as often.
        - *resident growth* and the first load are measured in processes that do nothing else, with the text of the \
        datafile in memory before and after. Growth includes the program's own pages that loading touches for the \
        first time. A warm load is the median of 51 loads.
        - Decisions through a client send no events, except in the row that says so. The client has no listeners and \
        no profile store. `Optimizely` receives `[String: Any]` attributes and uses its default services.
        - An impression is built from a decision, stamped with the time and a random UUID, and written into a reused \
        buffer.
        - Redis and memcached run on this machine and are reached over TCP; the figures include their share of the \
        processors. A round is two consecutive calls, and its time is the median of \(StoreRuns.rounds), while idle \
        programs keep the processors awake. Returning users are looked up once each: a thread looks up a thousand and \
        decides one experiment for each, and every decision must be the stored one. *memory per user* is the growth of \
        Redis's `used_memory` divided by the number of users, whose ids are `user_N`.
        - *cpu time added* by a store is the median of the differences between alternating runs with and without the \
        cache; all users are in the cache. That of reading a variable is the same for runs that decide and read an \
        integer variable, and runs that only decide.
        - With several threads, all share a client and have users of their own. The processor time is that of the \
        whole process, so it includes waiting for locks and writing in the background. It must not exceed 1.5 times \
        that of one thread with 16 threads, however many processors there are. Rows are medians of seven runs of \
        0.2 seconds, or less where a store has a limit, with 1, 2 and 16 threads in turns.
        - `generated-N` are datafiles with N flags, generated by `DatafileGenerator` from a fixed seed and identical \
        on every machine: half as many audiences as flags, condition trees of up to six leaves, one experiment and \
        four rollout rules per flag. The other datafiles are measured if `TURNOUT_DATAFILES` names their folder, or if \
        the folder lies beside the repository.
        """
    }
}

/// The type of machine and toolchain, without identifying details.
func machineDescription() -> String {
    let info = ProcessInfo.processInfo
    let cpu = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
        .split(separator: "\n").first { $0.hasPrefix("model name") }?
        .split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
    return "\(info.activeProcessorCount) processors (\(cpu ?? "unknown")), \(systemName()), Swift "
        + "\(swiftVersion), release build."
}

private func systemName() -> String {
    let release = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? ""
    let name = release.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }?
        .dropFirst("PRETTY_NAME=".count).trimmingCharacters(in: ["\""])
    return name ?? ProcessInfo.processInfo.operatingSystemVersionString
}

private var swiftVersion: String {
    #if compiler(>=6.4)
        "6.4 or later"
    #elseif compiler(>=6.3)
        "6.3"
    #else
        "6.2"
    #endif
}
