import Foundation

/// The figures as a page.
struct MarkdownReport {
    let figures: [Figure]
    let machine: String
    /// What people found out about rows that are not reached, in Markdown.
    let findings: String?

    var text: String {
        var parts = [introduction]
        for (title, works) in Self.sections {
            let rows = figures.filter { works.contains($0.work) && Expectation.expectation(for: $0) != nil }
            guard !rows.isEmpty else { continue }
            parts.append("## \(title)\n\n\(table(rows))")
        }
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
            [.impression, .batches, .durableEvent, .acceptedEvents, .awaitedEvents, .awaitedBatches, .waitingEvents]
        ),
        ("Through `TurnoutClient`", [.clientDecide, .clientNewUser, .clientEvent, .clientTwoThreads]),
        ("Through `Optimizely`", [.facadeDecide, .facadeNewUser, .facadeDecideAll, .facadeTwoThreads]),
        ("Threads and the command", [.twoThreads, .startCommand, .commandUsers, .startWithNetwork]),
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

        Written by `make bench`. `results.json` has every figure; the tables show those with a target or a known \
        competitor; `counts.json` holds the counts that `Scripts/check` compares with. "Vendor" is the vendor's Swift \
        SDK, "best peer" the fastest of its other clients; for scale, a hand-written C program decides in 0.05 µs \
        (large file 0.22 µs) and loads the large file in 1.7 ms. Their figures are from the same kind of machine, but \
        not from this run. Anybody can measure the `generated-…` rows; the others need real datafiles, see the end.
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

        - *cpu time* is the time of the thread on its processor per operation: the median of \(Stopwatch.runs) runs of \
        at least 20 ms. *wall time* is the clock's, the median of 41 runs; decisions per second of the command are by \
        the clock, too, the median of 5 runs, so other programs on the machine show in them.
        - Flags rotate; the user changes after 64 decisions. 64 users have five attributes each that the datafile's \
        audiences ask for, half of the values such that a condition holds. Variation key, rule key and "is on" of each \
        decision are read, with reasons also the reasons, with trace also its stages; of all flags only whether each \
        is on.
        - *allocations* are calls of the C library's allocator; *instructions* are counted by Valgrind, as the \
        difference between two runs of which one decides twice as often.
        - *resident growth* and the first load are measured in processes that do nothing else, with the text in memory \
        before and after; growth includes the pages of the program that loading touches first. Loading warm is the \
        median of 51 loads.
        - Through a client decisions send no events, but for the row that says so; nobody listens and nothing is \
        remembered. `Optimizely` is given `[String: Any]` attributes, and has the services that it comes with.
        - An impression is built from a decision, stamped with the time and a random UUID, and written into a buffer \
        that is used again.
        - Redis and memcached run on this machine and are asked over TCP; their share of the processors is part of \
        the figures. A round is two calls one after the other, its time the median of \(StoreRuns.rounds), while idle \
        programs keep the processors awake. Users who come back are asked for once each: a thread looks a thousand up \
        and decides one experiment for each of them, and every decision must be the remembered one. *memory per user* \
        is by how much Redis's `used_memory` grew, divided by the users, whose ids are `user_N`.
        - *cpu time added* by a store is the median of the differences of runs in turn, with the cache and without; \
        all users are in the cache.
        - *speed-up* is decisions per second of two threads that share one project, to one thread, from runs in which \
        each thread had a processor for itself.
        - `generated-N` are datafiles of N flags made by `DatafileGenerator` from a fixed seed, on every machine the \
        same bytes: half as many audiences as flags, condition trees of up to six leaves, one experiment and four \
        delivery rules per flag. The others are measured when `TURNOUT_DATAFILES` names their folder, or it lies \
        beside the repository.
        """
    }
}

/// The kind of machine and toolchain, without anything that tells one machine from another.
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
