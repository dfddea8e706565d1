@Suite struct YAMLWriterTests {
    /// The layout of the pages.
    static let project = """
        project: shop

        environments:
          production: {sdk_key: prod_abc}
          development: {sdk_key: dev_abc}

        attributes: [plan, country, app_version]
        events: [purchase, signup]

        audiences:
          paying: {plan: premium}
          new_app: {app_version: {semver_ge: "5.2"}}
          vip:
            any:
              - {segment: big_spender}
              - all: [paying, {not: {country: US}}]

        flags:
          checkout:
            description: The checkout in one page, or not?
            variables:
              title: Pay
              retries: 3
              theme: {type: json, default: {dark: false}}
            variations:
              on: {}
              big: {variables: {title: Pay now, retries: 5}}
            rules:
              - experiment: checkout_ab
                audience: paying
                traffic: 50%
                split: {off: 50, on: 25, big: 25}
                metrics: [purchase.unique, purchase.revenue]
              - delivery: checkout_new_app
                serve: on
            else: off

          search:
            description: |
              Two
              lines
            rules:
              - delivery: all
                serve: on

        """

    @Test func theLayoutIsThatOfThePages() throws { #expect(try read(Self.project).yaml() == Self.project) }

    @Test func commentsStandAboveTheirMembers() throws {
        let node = try read("{a: {b: {c: 1}, d: 2}, e: 3}")
        let text = node.yaml(comments: [[]: "Head", ["a"]: "On a\nand more", ["a", "b", "c"]: "On c\u{85}: x"])
        #expect(
            text == """
                # Head

                # On a
                # and more
                a:
                  b:
                    # On c : x
                    c: 1
                  d: 2

                e: 3

                """)
        #expect(try read(text).hasSameContent(as: node))
    }

    @Test func quotesAreOnlyWhereTheyAreNeeded() {
        let texts = ["on", "yes", "Pay now", "50%", "a.b", "-x", "1.2.3", "it's", "\"x\"", "5", "null", "x: y", "é"]
        let spelled = texts.map { Node(.scalar($0, isQuoted: true)).flowYAML(inFlow: true) }
        #expect(
            spelled == [
                "on", "yes", "Pay now", "50%", "a.b", "-x", "1.2.3", "it's", "'\"x\"'", "\"5\"", "\"null\"",
                "\"x: y\"", "é",
            ])
    }

    @Test func everyNodeReadsBackAsItself() throws {
        for round in 0..<rounds(500, thorough: 4_000) {
            var random = RandomNodes(round: round)
            let node = random.node(depth: random.upTo(5))
            let block = node.yaml()
            #expect(throws: Never.self, "round \(round), seed \(RandomNodes.seed): \(block.debugDescription)") {
                let result = try read(block)
                #expect(
                    result.hasSameContent(as: node),
                    "round \(round), seed \(RandomNodes.seed): \(block.debugDescription)")
            }
            let flow = node.flowYAML(inFlow: false)
            guard !["", "null", "~"].contains(flow) else { continue }
            #expect(throws: Never.self, "round \(round), seed \(RandomNodes.seed): \(flow.debugDescription)") {
                let result = try read(flow)
                #expect(
                    result.hasSameContent(as: node),
                    "round \(round), seed \(RandomNodes.seed): \(flow.debugDescription)")
            }
        }
    }

    @Test(arguments: RandomNodes.hostile.indices)
    func hostileTextsReadBackAsKeysAndValues(index: Int) throws {
        let text = RandomNodes.hostile[index]
        let string = Node(.scalar(text, isQuoted: true))
        let mapping = Node(.mapping([Node.Member(Node.Key(text), string)]))
        let node = Node(.sequence([string, mapping, Node(.mapping([Node.Member(Node.Key("k"), mapping)]))]))
        #expect(try read(node.yaml()).hasSameContent(as: node))
        #expect(try read(node.flowYAML(inFlow: false)).hasSameContent(as: node))
        #expect(try read(mapping.yaml()).hasSameContent(as: mapping))
    }
}
