import FuzzDriver
import TurnoutClient
import TurnoutMemcached

/// With any response of a server, a call returns or throws, and returns no profile that is not in the response.
@main struct FuzzMemcached {
    private static let server = RespondingServer()

    static func main() {
        fuzz { start, count in
            let input = bytes(start, count)
            // Each part is the response to one request; then the server closes the connection.
            let responses = input.split(separator: 0xFF, omittingEmptySubsequences: false).map(Array.init)
            for call in [
                { store in
                    let profile = try store.profile(of: "ada")
                    precondition(profile.assignments.isEmpty || input.contains("ada"), "a profile from nowhere")
                },
                { store in
                    let profiles = try store.profiles(of: ["ada", "grace"])
                    precondition(profiles.keys.allSatisfy(input.contains), "a user from nowhere")
                },
                { store in try store.save(["1": "2"], for: "ada") }, { store in try store.forget("ada") },
            ] as [(MemcachedProfileStore) throws -> Void] {
                FuzzMemcached.server.responses = responses
                do { try call(MemcachedProfileStore(FuzzMemcached.server.options, log: .silent)) } catch {
                    precondition(error is ProfileServerError, "another error")
                    precondition(!"\(error)".contains("ada"), "an id in an error")
                }
            }
            return 0
        }
    }
}

extension [UInt8] {
    fileprivate func contains(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return indices.contains { self[$0...].starts(with: bytes) }
    }
}
