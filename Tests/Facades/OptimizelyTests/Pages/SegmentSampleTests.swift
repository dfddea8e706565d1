import Foundation
import Optimizely
import Testing
import TurnoutClient

// The page about segments, sample by sample, with a server of segments that answers as it was told.

/// Stands in for the server of segments.
private final class PageSegments: OdpSegmentApiManager {
    private let answer: Locked<Carried<(segments: [String]?, error: OptimizelyError?)>>
    private let users = Journal()

    init(_ segments: [String]?, _ error: OptimizelyError? = nil) {
        answer = Locked(Carried((segments, error)))
        super.init(timeout: nil)
    }

    /// Whose segments were asked for.
    var asked: [String] { users.lines }

    override func fetchSegments(
        apiKey: String, apiHost: String, userKey: String, userValue: String, segmentsToCheck: [String],
        completionHandler: @escaping ([String]?, OptimizelyError?) -> Void
    ) {
        users.add("\(apiKey) \(apiHost) \(userKey) \(userValue) \(segmentsToCheck)")
        let (completion, answer) = (Carried(completionHandler), answer.withLock { $0 })
        DispatchQueue.global().async { completion.value(answer.value.segments, answer.value.error) }
    }
}

@Suite(.ownThread) struct SegmentSampleTests {
    private let attributes: [String: Any] = ["app_version": "1.3.2"]
    private static let question = #"page key https://odp.page.example fs_user_id user123 ["segment1"]"#

    private func makeClient(_ segments: PageSegments) -> OptimizelyClient {
        let odp = OdpManager(
            sdkKey: newKey(), disable: false, cacheSize: 100, cacheTimeoutInSecs: 600,
            segmentManager: OdpSegmentManager(cacheSize: 100, cacheTimeoutInSecs: 600, apiManager: segments))
        return OptimizelyClient(
            sdkKey: newKey(), logger: PageLogger(), eventDispatcher: PageEvents(),
            datafileHandler: PageDatafiles(server: PageDatafile.data()), odpManager: odp)
    }

    // MARK: fetchQualifiedSegments - asynchronous

    @Test func segmentsAreFetchedOnceAndThenCached() async throws {
        let segments = PageSegments(["segment1"])
        let optimizely = makeClient(segments)
        try optimizely.start(datafile: PageDatafile.text())

        // Without segment option
        let task = Task {
            let attributes: [String: Any] = ["app_version": "1.3.2"]
            let user = optimizely.createUserContext(userId: "user123", attributes: attributes)
            try? user.fetchQualifiedSegments()
            return user
        }

        #expect(await task.value.qualifiedSegments == ["segment1"])
        let again = optimizely.createUserContext(userId: "user123", attributes: attributes)
        try await again.fetchQualifiedSegments()
        #expect(again.qualifiedSegments == ["segment1"] && again.decide(key: "flag1").enabled)
        #expect(segments.asked == [Self.question])
    }

    @Test func optionsBypassAndEmptyTheCache() async throws {
        let segments = PageSegments(["segment1"])
        let optimizely = makeClient(segments)
        try optimizely.start(datafile: PageDatafile.text())
        try await optimizely.createUserContext(userId: "user123").fetchQualifiedSegments()

        // With segment options
        let task = Task {
            // The page has a variable that nothing changes, which compilers warn of.
            let odpSegmentOptions: [OptimizelySegmentOption] = [.ignoreCache, .resetCache]
            let attributes: [String: Any] = ["app_version": "1.3.2"]
            let user = optimizely.createUserContext(userId: "user123", attributes: attributes)
            try? user.fetchQualifiedSegments(options: odpSegmentOptions)
            return user
        }

        #expect(await task.value.qualifiedSegments == ["segment1"])
        #expect(segments.asked.count == 2)
        try await optimizely.createUserContext(userId: "user123").fetchQualifiedSegments()
        #expect(segments.asked.count == 3, "it was emptied, and nothing was stored")
    }

    @Test func optionsCountInTheFormThatIsAwaited() async throws {
        let segments = PageSegments(["segment1"])
        let optimizely = makeClient(segments)
        try optimizely.start(datafile: PageDatafile.text())
        let user = optimizely.createUserContext(userId: "user123")
        for options: [OptimizelySegmentOption] in [[], [.ignoreCache], [], [.resetCache], []] {
            try await user.fetchQualifiedSegments(options: options)
        }
        #expect(segments.asked.count == 3, "the first, the one past the cache, the one after emptying it")
    }

    // MARK: fetchQualifiedSegments - synchronous

    /// The sample; what it prints and decides.
    private func sample(_ segments: PageSegments) -> [String] {
        var printed: [String] = []
        func print(_ text: String) { printed.append(text) }
        let optimizely = makeClient(segments)

        optimizely.start { result in
            let attributes: [String: Any] = ["app version": "1.3.2"]
            let user = optimizely.createUserContext(userId: "user123", attributes: attributes)

            do {
                // this will block the calling thread until fetch is completed.
                try user.fetchQualifiedSegments()

                let decision = user.decide(key: "flag1")
                print("\(decision.enabled)")
            } catch OptimizelyError.invalidSegmentIdentifier {
                print("[AudienceSegments] audience segments fetch failed (user id is not registered yet or invalid)")
            } catch {
                print("[AudienceSegments] \(error)")
            }
        }
        return printed
    }

    @Test func callbacksOfTheStartCanFetchAndDecide() { #expect(sample(PageSegments(["segment1"])) == ["true"]) }

    @Test func usersThatTheServerDoesNotKnowAreCaught() {
        #expect(
            sample(PageSegments(nil, .invalidSegmentIdentifier)) == [
                "[AudienceSegments] audience segments fetch failed (user id is not registered yet or invalid)"
            ])
    }

    @Test func otherFailuresAreCaught() {
        let printed = sample(PageSegments(nil, .fetchSegmentsFailed("offline")))
        #expect(printed.count == 1 && printed[0].hasPrefix("[AudienceSegments] [Optimizely][Error] "))
    }

    // MARK: isQualifiedFor

    @Test(arguments: [true, false]) func usersQualifyForWhatWasFetched(isReachable: Bool) async throws {
        let optimizelyClient = makeClient(
            isReachable ? PageSegments(["segment1"]) : PageSegments(nil, .fetchSegmentsFailed("offline")))
        try optimizelyClient.start(datafile: PageDatafile.text())

        let attributes: [String: Any] = ["laptop_os": "mac"]
        let user = optimizelyClient.createUserContext(userId: "user123", attributes: attributes)
        #expect(!user.isQualifiedFor(segment: "segment1"))

        let answer: (Bool, [String]?, Bool) = await withCheckedContinuation { continuation in
            user.fetchQualifiedSegments { segments, err in
                let isQualified = user.isQualifiedFor(segment: "segment1")
                continuation.resume(returning: (isQualified, segments, err == nil))
            }
        }
        #expect(answer == (isReachable, isReachable ? ["segment1"] : nil, isReachable))
        #expect(!user.isQualifiedFor(segment: "segment2"))
    }

    @Test func theFormOfTheLibraryReportsOnlyTheError() async throws {
        let optimizelyClient = makeClient(PageSegments(nil, .invalidSegmentIdentifier))
        try optimizelyClient.start(datafile: PageDatafile.text())
        let user = optimizelyClient.createUserContext(userId: "user123")
        user.qualifiedSegments = ["segment1"]
        let text: String = await withCheckedContinuation { continuation in
            user.fetchQualifiedSegments { error in continuation.resume(returning: "\(error as Any)") }
        }
        #expect(text.contains("[Optimizely][Error] "))
        #expect(user.qualifiedSegments == nil && !user.isQualifiedFor(segment: "segment1"))
    }
}
