#if YAML
    import Testing
    import TurnoutFlags
    import TurnoutYAML

    @Suite struct ForeignYAMLTests {
        @Test func flagsInYAMLAreImported() throws {
            let text = """
                # The words on and off are no Booleans here.
                new-checkout:
                  variations:
                    on: true
                    off: false
                  targeting:
                    - name: beta users
                      query: beta eq true and plan in ["pro", "team"]
                      variation: on
                    - query: country eq "DE"
                      percentage:
                        on: 25
                        off: 75
                  defaultRule:
                    variation: off
                banner:
                  variations: {short: Hi, long: "Hello, you"}
                  targeting:
                    - query: email ew "@example.com"
                      variation: long
                  defaultRule: {variation: short}
                """
            let source = SourceFile(name: "flags.yaml", bytes: Array(text.utf8))
            let root = try Node(yaml: source)
            #expect(ForeignImport.Format.recognized(in: root) == .goFeatureFlag)
            let (project, notes) = try ForeignImport.read(root, as: .goFeatureFlag, in: source, environment: "live")
            #expect(
                notes.dropFirst().map { $0.text(in: source.name) } == [
                    #"flags.yaml:10:14: warning: flag "new-checkout", rule 2: the query ignores the case of letters "#
                        + "there, but not here [works-differently]",
                    #"flags.yaml:19:14: warning: flag "banner", rule 1: the comparison "ew" has no equivalent; "#
                        + "users to whom it may apply get the flag's default and skip later rules [not-translated]",
                ])
            #expect(ProjectWriter.node(of: project).yaml() == Self.expected)
        }

        private static let expected = """
            project: imported

            environments:
              live: {}

            attributes: [beta, plan, country]

            flags:
              new-checkout:
                variations: {on: {}}
                rules:
                  - experiment: new-checkout_rule1
                    audience: {beta: true, plan: [pro, team]}
                    split: {on: 1}
                    ignore: [experiment-one-variation, experiment-without-metric]
                  - experiment: new-checkout_rule2
                    audience: {country: DE}
                    split: {on: 25, off: 75}

              banner:
                variables: {value: Hi}
                variations:
                  short: {variables: {value: Hi}}
                  long: {variables: {value: "Hello, you"}}
                else: short

            """
    }
#endif
