@Suite struct SegmentEventTests {
    @Test(arguments: ["fs-user-id", "FS_USER_ID", "FS-USER-ID", "Fs-User-Id"])
    func otherSpellingsOfTheUserIDAreNormalized(spelling: String) {
        #expect(
            SegmentEvent.normalized([spelling: "ada", "email": "a@example.test"])
                == ["fs_user_id": "ada", "email": "a@example.test"])
    }

    @Test func exactSpellingTakesPrecedence() {
        let identifiers = ["fs_user_id": "ada", "FS_USER_ID": "bob"]
        #expect(SegmentEvent.normalized(identifiers) == identifiers)
    }

    @Test func theChoiceAmongSpellingsIsDeterministic() {
        for _ in 0..<20 {
            let identifiers = SegmentEvent.normalized(["fs-user-id": "c", "FS_USER_ID": "b", "FS-USER-ID": "a"])
            #expect(identifiers == ["fs_user_id": "a", "fs-user-id": "c", "FS_USER_ID": "b"])
        }
    }

    @Test func dataOfTheCallerPrecedesCommonData() {
        let origin = SegmentEventOrigin(source: "swift-sdk", sourceVersion: "5.4.2", os: "Linux", osVersion: "12")
        let data = origin.adding(to: ["os": .string("mine"), "qty": .integer(2)], id: EventID(1, 2))
        #expect(
            data == [
                "idempotence_id": .string("00000000-0000-4001-8000-000000000002"), "data_source_type": .string("sdk"),
                "data_source": .string("swift-sdk"), "data_source_version": .string("5.4.2"), "os": .string("mine"),
                "os_version": .string("12"), "device_type": .string("Other"), "model": .string("N/A"),
                "qty": .integer(2),
            ])
    }

    @Test func cacheKeyNamesTheUserAndTheKindOfID() {
        #expect(OdpUserKey.cacheKey(for: "user_1") == "fs_user_id-$-user_1")
        #expect(OdpUserKey.cacheKey(for: "vuid_1") == "vuid-$-vuid_1")
    }
}
