package import TurnoutClient
import TurnoutEngine
import TurnoutFlags

/// Status and metrics of the served datafiles. SDK keys are shortened.
package struct DatafileReport: Sendable {
    private let directory: DatafileDirectory
    private let upstream: UpstreamDatafiles?
    private let isRequired: Bool
    private let wallClock: any WallClock

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - directory: The datafiles.
    ///   - upstream: Downloads datafiles from another server. Default: nil.
    ///   - isRequired: Whether a server without datafiles is not ready. Default: true.
    ///   - wallClock: Measures ages. Default: the system's.
    package init(
        _ directory: DatafileDirectory, upstream: UpstreamDatafiles? = nil, isRequired: Bool = true,
        wallClock: any WallClock = .system
    ) {
        (self.directory, self.upstream) = (directory, upstream)
        self.isRequired = isRequired
        self.wallClock = wallClock
    }

    private var datafiles: [ServedDatafile] { directory.sdkKeys.compactMap { directory[$0] } }

    /// The report. A server without a datafile is not ready if it needs one.
    package var report: ServiceReport {
        var report = ServiceReport("datafiles")
        report.problem = {
            if upstream?.isStarting == true { return "the first datafiles are being downloaded from the other server" }
            return isRequired && directory.sdkKeys.isEmpty ? "no datafile is loaded" : nil
        }
        report.status = { write(to: &$0) }
        report.metrics = { metrics }
        return report
    }

    /// The report on sources whose newest datafiles cannot be used, and why.
    package var sources: ServiceReport {
        var report = ServiceReport("failingSources")
        report.status = { $0.value(.object(directory.problems.mapValues { .string($0.description) })) }
        return report
    }

    /// The report on the places of project files that are wrong.
    package var diagnostics: ServiceReport {
        var report = ServiceReport("diagnostics")
        report.status = { writer in
            writer.beginArray()
            for (source, problem) in directory.problems.sorted(by: { $0.key < $1.key }) {
                for diagnostic in problem.diagnostics { Self.write(diagnostic, in: source, to: &writer) }
            }
            writer.endArray()
        }
        return report
    }

    private static func write(_ diagnostic: Diagnostic, in file: String, to writer: inout JSONWriter) {
        let position = diagnostic.position
        writer.value(
            .object([
                "file": .string(file), "line": position.map { .integer(Int64($0.line)) } ?? .null,
                "column": position.map { .integer(Int64($0.column)) } ?? .null,
                "severity": .string(diagnostic.severity.rawValue), "code": .string(diagnostic.code),
                "message": .string(diagnostic.message), "advice": diagnostic.advice.map(JSONValue.string) ?? .null,
            ]))
    }

    /// The number, the revisions and the ages of the datafiles.
    private var metrics: MetricsSnapshot {
        let datafiles = datafiles
        let now = wallClock.millisecondsSince1970() / 1_000
        var snapshot = MetricsSnapshot()
        snapshot.add(
            .gauge, "turnout_datafiles", "Datafiles that are served.", [MetricsSnapshot.Value(datafiles.count)])
        snapshot.add(
            .gauge, "turnout_datafile_info", "The project, environment and revision of a datafile; the value is 1.",
            datafiles.map { datafile in
                MetricsSnapshot.Value(
                    1, .init("sdk_key", datafile.sdkKey.keyLabel), .init("project", datafile.project.projectID),
                    .init("environment", datafile.project.environmentKey ?? ""),
                    .init("revision", datafile.project.revision))
            })
        snapshot.add(
            .gauge, "turnout_datafile_unchanged_seconds", "Time since the datafile changed.",
            datafiles.map {
                MetricsSnapshot.Value(max(0, Int(now - $0.lastModified)), .init("sdk_key", $0.sdkKey.keyLabel))
            })
        snapshot.add(
            .gauge, "turnout_datafile_sources_failing", "Sources whose newest datafiles cannot be used.",
            [MetricsSnapshot.Value(directory.problems.count)])
        if let upstream {
            snapshot.add(
                .gauge, "turnout_upstream_keys", "Datafiles of another server, by how their changes are found.",
                [UpstreamDatafiles.Updates.stream, .polling].map { updates in
                    let count = datafiles.count { upstream.updates(of: $0.sdkKey) == updates }
                    return MetricsSnapshot.Value(count, .init("updates", updates.rawValue))
                })
            snapshot.add(
                .gauge, "turnout_upstream_age_seconds",
                "Time since the other server last said what the newest datafile of a key is.",
                upstream.ages.sorted { $0.key < $1.key }.map { .init($1 / .seconds(1), .init("sdk_key", $0.keyLabel)) })
        }
        return snapshot
    }

    /// Writes the datafiles as an array of objects.
    private func write(to writer: inout JSONWriter) {
        writer.beginArray()
        for datafile in datafiles {
            writer.object {
                $0.member("sdkKey", datafile.sdkKey.keyLabel)
                $0.member("project", datafile.project.projectID)
                $0.member("environment", datafile.project.environmentKey)
                $0.member("revision", datafile.project.revision)
                $0.member("etag", datafile.entityTag)
                $0.member("changed", Timestamp.text(datafile.lastModified * 1_000))
                if let updates = upstream?.updates(of: datafile.sdkKey) { $0.member("updates", updates.rawValue) }
                $0.member("bytes", datafile.content.bytes.count)
                $0.member("flags", datafile.project.flags.count)
            }
        }
        writer.endArray()
    }
}
