@Suite("A former key keeps the ids, or says why it does not")
struct FormerKeyTests {
    private func flag(_ key: String, was: String? = nil) -> String {
        let former = was.map { #", "was": "\#($0)""# } ?? ""
        return #""\#(key)": {"rules": [{"experiment": "ab", "split": ["off"]}]\#(former)}"#
    }

    private func project(_ flags: String...) -> ProjectText {
        ProjectText(members: "\"flags\": {\n" + flags.joined(separator: ",\n") + "}")
    }

    private func environments(_ members: String) -> ProjectText {
        ProjectText(
            """
            {"project": "shop", "environments": {"production": {},
              \(members)},
             "flags": {\(flag("checkout"))},
             "groups": {"g": {"traffic": {"checkout/ab": "40%"}}}, "holdouts": {"h": {"traffic": "5%"}}}
            """)
    }

    // MARK: Environments

    @Test func anEnvironmentKeepsItsIdsTrafficAndRevisionWhenItIsRenamed() throws {
        let before = try environments(#""development": {}"#).lock()
        let renamed = environments(#""staging": {"was": "development"}"#)
        let after = try renamed.lock(before)
        #expect(after.ids.values.sorted() == before.ids.values.sorted())
        #expect(after.retiredIDs.isEmpty)
        #expect(after.allocations.count == before.allocations.count)
        for kind in [EntityPath.Kind.rule, .group, .holdout] {
            let keys = kind == .rule ? ["checkout", "ab"] : [kind == .group ? "g" : "h"]
            let (old, new) = (EntityPath(kind, ["development"] + keys), EntityPath(kind, ["staging"] + keys))
            #expect(before.ids[old] != nil && after.ids[new] == before.ids[old])
            #expect(after.allocations[new] == before.allocations[old])
        }
        #expect(after.revisions["development"] == nil)
        #expect(after.revisions["staging"]?.number == 2)
        // `was` may stay.
        #expect(try renamed.lock(after) == after)
    }

    @Test func anEnvironmentThatWasNothingIsAnError() throws {
        let lock = try environments(#""development": {}"#).lock()
        #expect(
            environments(#""staging": {"was": "developmnt"}"#).errors(lock) == [
                #"f:2:3: error: the environment "staging" was "developmnt", which turnout.lock does not have. "#
                    + #"Did you mean "development"? Otherwise remove "was": the key is new and gets an id of its own "#
                    + "[unknown-former-key]"
            ])
        let removed = try environments(#""test": {}"#).lock(lock)
        #expect(
            environments(#""staging": {"was": "development"}"#).errors(removed).first?.hasSuffix("[retired-former-key]")
                == true)
    }

    @Test func environmentsThatDifferInCaseAreAnError() {
        #expect(
            environments(#""Production": {}"#).errors() == [
                #"f:2:3: error: the environments "production" and "Production" differ only in case; their datafiles "#
                    + "would be one file on some disks; rename one of them [similar-environments]"
            ])
    }

    // MARK: Other parts

    @Test func severalRenamesKeepTheIdIfWasNamesTheKeyOfTheLock() throws {
        let path = { (key: String) in EntityPath(.flag, key) }
        let first = try project(flag("pay_a")).lock()
        let second = try project(flag("pay_b", was: "pay_a")).lock(first)
        let third = try project(flag("pay_c", was: "pay_b")).lock(second)
        #expect(third.ids[path("pay_c")] == first.ids[path("pay_a")] && third.ids.count == first.ids.count)
        // Without a compilation between them.
        let errors = project(flag("pay_c", was: "pay_b")).errors(first)
        #expect(errors.count == 1 && errors[0].contains(#"Did you mean "pay_a"?"#), "\(errors)")
        #expect(try project(flag("pay_c", was: "pay_a")).lock(first).ids == third.ids)
    }

    @Test func aKeyThatTheLockDoesNotHaveIsAnError() throws {
        let lock = try project(flag("checkout")).lock()
        #expect(
            project(flag("payment", was: "chekout")).errors(lock) == [
                #"f:3:1: error: the flag "payment" was "chekout", which turnout.lock does not have. "#
                    + #"Did you mean "checkout"? Otherwise remove "was": the key is new and gets an id of its own "#
                    + "[unknown-former-key]"
            ])
        #expect(project(flag("payment", was: "checkout")).errors(lock) == [])
        // There is nothing to keep before the first compilation.
        #expect(project(flag("payment", was: "chekout")).errors() == [])
    }

    @Test func aDeletedKeyIsAnError() throws {
        let deleted = try project(flag("other")).lock(try project(flag("checkout")).lock())
        #expect(
            project(flag("other"), #""payment": {"was": "checkout"}"#).errors(deleted) == [
                #"f:4:1: error: the flag "payment" was "checkout", which was deleted; the id of a deleted key is "#
                    + #"never used again; remove "was", or restore turnout.lock from before "checkout" was deleted "#
                    + "[retired-former-key]"
            ])
    }

    /// The most common mistake: the key is changed and compiled, and `was` is written only then.
    @Test func aFormerKeyThatIsWrittenTooLateIsAnError() throws {
        let lock = try project(flag("payment")).lock(try project(flag("checkout")).lock())
        let errors = project(flag("payment", was: "checkout")).errors(lock)
        #expect(errors.count == 1)
        #expect(
            errors.first?.contains("but already got its own id in an earlier compilation; restore turnout.lock")
                == true)
        #expect(errors.first?.hasSuffix("[retired-former-key]") == true)
    }

    /// A key can be deleted, made again, and renamed.
    @Test func aFormerKeyMayHaveBeenDeletedBefore() throws {
        var lock = try project(flag("checkout")).lock()
        lock = try project(flag("other")).lock(lock)
        lock = try project(flag("checkout")).lock(lock)
        let renamed = project(flag("payment", was: "checkout"))
        lock = try renamed.lock(lock)
        #expect(try renamed.lock(lock) == lock)
    }

    /// A rule that is renamed in one environment is new in another that is added at the same time.
    @Test func aRuleMayBeNewInSomeEnvironments() throws {
        let before = try project(flag("checkout")).lock()
        let after = ProjectText(
            """
            {"project": "shop", "environments": {"production": {}, "staging": {}}, "flags": {"checkout": {"rules": [
              {"experiment": "new", "was": "ab", "split": ["off"]}, {"experiment": "x", "was": "y", "split": ["off"]}
            ]}}}
            """)
        let errors = after.errors(before)
        #expect(errors.count == 1)
        #expect(
            errors.first?.hasPrefix(#"f:2:58: error: the rule "x" was "y", which turnout.lock does not have"#) == true)
    }
}
