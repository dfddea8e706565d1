import Foundation
import TestProcesses
import TestSupport
import TurnoutClient
import TurnoutServer

/// A ClickHouse server with its own directory. It ends with the test, or with the process of the tests.
final class ClickHouse: EngineServer {
    private let directory = TemporaryDirectory(isCreated: true)
    private let running = Locked<(shell: ChildProcess, id: Int32)?>(nil)
    private let port: Int

    var address: String { "http://127.0.0.1:\(port)" }
    var credentialed: String { "http://default:p%26%25s@127.0.0.1:\(port)" }

    init() async throws {
        port = try TestSocket.listening().port
        let path = directory.path
        try """
        <yandex><logger><level>none</level></logger><listen_host>127.0.0.1</listen_host><http_port>\(port)</http_port>
        <path>\(path)/data/</path><tmp_path>\(path)/tmp/</tmp_path><users_config>\(path)/users.xml</users_config>
        <default_profile>default</default_profile><default_database>default</default_database>
        <mark_cache_size>16777216</mark_cache_size></yandex>
        """.write(toFile: path + "/config.xml", atomically: false, encoding: .utf8)
        try """
        <yandex><profiles><default/></profiles><quotas><default/></quotas><users><default><password>p&amp;%s</password>
        <networks><ip>127.0.0.1</ip></networks><profile>default</profile>
        <quota>default</quota></default></users></yandex>
        """.write(toFile: path + "/users.xml", atomically: false, encoding: .utf8)
        for folder in ["/data", "/tmp"] {
            try FileManager.default.createDirectory(atPath: path + folder, withIntermediateDirectories: true)
        }
        try await start()
    }

    deinit { kill() }

    let refusal = (
        statement:
            "ALTER TABLE turnout_events ADD COLUMN n UInt8 MATERIALIZED toUInt8(if(visitor_id = 'bad', 'x', '1'))",
        words: "Cannot parse"
    )

    func engine(over transport: any Transport) -> (any EventEngine)? {
        ClickHouseEngine([credentialed], node: "a", over: transport)
    }

    func start() async throws {
        let script = #""$@" > /dev/null 2>&1 & echo $!; read line; kill -9 $!"#
        let configuration = "--config-file=\(directory.path)/config.xml"
        let shell = try ChildProcess(
            "/bin/sh", ["-c", script, "sh", "/usr/sbin/clickhouse-server", configuration], output: .pipe)
        guard let id = Int32(try shell.readLine()) else { throw Failure(description: "no clickhouse-server") }
        running.withLock { $0 = (shell, id) }
        try await wait("ClickHouse") { (try? await query("SELECT 1")) == "1" }
    }

    func kill() {
        guard let (shell, id) = running.withLock({ $0.take() }) else { return }
        Foundation.kill(id, SIGKILL)
        shell.closeInput()
        shell.waitUntilExit()
    }

    @discardableResult
    func query(_ statement: String) async throws -> String {
        let headers = ["X-ClickHouse-User": "default", "X-ClickHouse-Key": "p&%s"]
        let response = try await LiveTransport.make().send(
            HTTPRequest(.post, address + "/", headers: headers, body: Array(statement.utf8), deadline: .seconds(60)))
        let text = String(decoding: response.body, as: UTF8.self).trimmingCharacters(in: .newlines)
        guard response.status == 200 else { throw Failure(description: text) }
        return text
    }
}
