import CQLServer

/// A server with the table of assignments.
struct Shop {
    let server: CQLServer

    init(_ configuration: CQLServer.Configuration = CQLServer.Configuration(), options: String = "") throws {
        server = try CQLServer(configuration)
        try server.run("CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}")
        try server.run(
            "CREATE TABLE shop.profiles (user text, experiment text, variation text, seen bigint, "
                + "PRIMARY KEY ((user), experiment)) \(options)")
    }

    func insert(_ variation: String, experiment: String = "e", at timestamp: Int, timeToLive: Int = 0) throws {
        try server.run(
            "INSERT INTO shop.profiles (user, experiment, variation) VALUES ('ada', '\(experiment)', '\(variation)') "
                + "USING TIMESTAMP \(timestamp) AND TTL \(timeToLive)")
    }

    /// The variations of the user, in the order of the experiments.
    var variations: [String] {
        get throws {
            try server.run("SELECT variation FROM shop.profiles WHERE user = 'ada'").map {
                $0["variation"].map { "\($0)" } ?? "missing"
            }
        }
    }

    /// The reason why a statement does not run; nil if it does.
    func refusal(_ statement: String) -> String? {
        do {
            try server.run(statement)
            return nil
        } catch {
            return "\(error)"
        }
    }
}
