/// A datafile with or without a data platform.
enum PlatformDatafile {
    static func bytes(revision: String = "1", host: String? = "https://odp.test", key: String? = "key") -> [UInt8] {
        let members = [host.map { #""host": "\#($0)""# }, key.map { #""publicKey": "\#($0)""# }].compactMap { $0 }
        let integration = (#"{"key": "odp""# + members.map { ", " + $0 }.joined() + "}")
        return Array(
            #"""
            {"version": "4", "accountId": "A", "projectId": "P", "revision": "\#(revision)", "anonymizeIP": true,
             "groups": [], "audiences": [], "events": [], "attributes": [], "featureFlags": [], "experiments": [],
             "rollouts": [], "integrations": [\#(integration)],
             "typedAudiences": [{"id": "9", "name": "gold", "conditions": ["or",
              {"type": "third_party_dimension", "name": "odp.audiences", "match": "qualified", "value": "gold"}]}]}
            """#.utf8)
    }
}
