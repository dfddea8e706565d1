/// Descriptions contain no personal data unless they are asked for it.
@Suite struct DescriptionTests {
    private var ada: UserContext {
        FlagClient.scripted(.always("checkout", "a"), .event("purchase")).user(
            "ada@example.com", attributes: ["country": "secret", "orders": 12])
    }

    @Test func nestedUsersAreNotRevealed() {
        struct Request { var user: UserContext }
        for text in ["\([ada])", "\(Optional(ada.user) as Any)", "\(Request(user: ada))", "\(ada.attributes)"] {
            #expect(!text.contains("ada@") && !text.contains("secret"), "\(text)")
        }
    }

    @Test func notificationsSayWhatHappened() async throws {
        let ada = ada
        let received = Collected<ClientNotification>()
        ada.client.addListener { received.add($0) }
        _ = ada.decide("checkout")
        try ada.track("purchase")
        var newer = Script(.always("checkout", "a"))
        newer.revision = "2"
        try ada.client.update(to: newer.datafile)
        await ada.client.close()
        let texts = received.all.map { "\($0)" }
        #expect(
            texts == [
                "impression of checkout: a", "decision \(ada.decide("checkout"))", "conversion purchase",
                "datafile change to revision 2",
            ])
        #expect(!texts.contains { $0.contains("ada") })
        #expect(received.all.first?.description(includingPersonalData: true).contains("ada@example.com") == true)
    }
}
