func explain(datafile: [UInt8]) throws {
    let project = try Project(datafile: datafile)

    let ada = User("ada", attributes: ["country": "US", "orders": 12, "cart_total": 42.5])
    let decision = project.decide("checkout_redesign", for: ada)

    print(decision.variationKey ?? "", decision.assignment?.experimentID ?? "")
    print(project.explain("checkout_redesign", for: ada))
}

/// The README's example of the engine works.
@Suite struct ReadmeEngineTests {
    @Test func theEngineDecides() throws { try explain(datafile: shop) }
}
