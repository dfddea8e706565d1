/// Applies results to the delivery state.
extension DeliveryState {
    mutating func read(_ result: DeliveryResult, to batch: DeliveryBatch) {
        if result != .reply(.accepted) { hasSkipped = true }
        let address = BlockedDestination.address(batch.address)
        switch result {
        case .reply(.accepted): accepted(batch)
        case .reply(.busy(let status, let pause)):
            failed(batch, "\(DeliveryReport.host(of: batch.address)) responded with status \(status)", atLeast: pause)
        case .failed(let cause): failed(batch, cause, atLeast: nil)
        case .reply(.misconfigured(let status)): misconfigured(batch, status)
        case .reply(.refused(let status)): refused(batch, named: [], status)
        case .reply(.invalid(let places, let status)): refused(batch, named: places.map { batch.ids[$0] }, status)
        case .badAddress(let cause):
            report(.badAddress(address: batch.address, cause: cause), of: address)
            pause(address, for: nil)
        case .noTransport: pause(address, for: options.longestDelay)
        }
    }

    private mutating func accepted(_ batch: DeliveryBatch) {
        actions.append(.remove(batch.ids))
        actions.append(.report(.delivered(batch.events.count)))
        destinations[.address(batch.address)] = nil
        guard let state = destinations.removeValue(forKey: .group(batch.group)) else { return }
        if state.faults > 0 { actions.append(.report(.acceptedAgain(address: batch.address))) }
        setAside(state.doubted.sorted(), address: batch.address)
        let doubled = state.limit.flatMap { 2 * $0 < batchSize ? 2 * $0 : nil }
        change(.group(batch.group)) {
            ($0.limit, $0.isTooLarge) = (state.isTooLarge ? state.limit : doubled, state.isTooLarge)
            $0.hasAccepted = !state.hasDoubts
        }
    }

    private mutating func failed(_ batch: DeliveryBatch, _ cause: String, atLeast pause: Duration?) {
        let options = options
        let (delay, failures, isRetry) = change(.address(batch.address)) {
            let delay = max($0.backoff.delay(), pause ?? .zero)
            $0.failures += 1
            $0.attempts += 1
            // A flush does not wait for longer delays.
            let isRetry = $0.attempts < options.attempts && delay <= options.requestDeadline
            if !isRetry { $0.attempts = 0 }
            return (delay, $0.failures, isRetry)
        }
        actions.append(
            .report(.attemptFailed(events: batch.events.count, attempt: failures, cause: cause, pause: delay)))
        self.pause(.address(batch.address), for: delay, isRetry: isRetry)
    }

    private mutating func misconfigured(_ batch: DeliveryBatch, _ status: Int) {
        if options.isObsolete?(batch.group) == true { return setAside(batch.ids, address: batch.address) }
        let isGroup = status == 401 || status == 403
        let destination = isGroup ? BlockedDestination.group(batch.group) : .address(batch.address)
        let pause = options.longestDelay
        report(.misconfigured(address: batch.address, status: status, pause: pause), of: destination)
        self.pause(destination, for: pause)
    }

    /// Reports that a destination does not accept events, once until it does.
    private mutating func report(_ report: DeliveryReport, of destination: BlockedDestination) {
        let isKnown = change(destination) { state in
            defer { state.isReported = true }
            return state.isReported
        }
        if !isKnown { actions.append(.report(report)) }
    }

    // MARK: Refusals

    /// Handles a refusal; the receiver may have named some of the events as invalid.
    private mutating func refused(_ batch: DeliveryBatch, named: [Int64], _ status: Int) {
        destinations[.address(batch.address)]?.responded()
        let (group, count) = (BlockedDestination.group(batch.group), batch.events.count)
        actions.append(.report(.refused(count, status: status)))
        let state = change(group) { $0 }
        if !named.isEmpty, named.count < count, state.limit == nil, !state.hasDoubts {
            doubt(named, of: group, limit: nil)
            rescan()
        } else if count > 1 {
            change(group) {
                if $0.limit == nil { $0.hasAccepted = false }
                ($0.limit, $0.isTooLarge, $0.doubted, $0.pauseEnd) = (count / 2, status == 413, [], nil)
            }
            rescan()
        } else if state.hasAccepted {
            destinations[group] = nil
            setAside(batch.ids, address: batch.address)
        } else if state.faults == 0, state.doubted.count < 2 {
            doubt(batch.ids + state.doubted, of: group, limit: 1)
        } else {
            receiverIsAtFault(batch, status)
        }
    }

    /// Sends refused events again after a while, unless their group accepts another one first.
    private mutating func doubt(_ ids: [Int64], of group: BlockedDestination, limit: Int?) {
        let now = moment.now
        let delay = change(group) {
            let delay = max($0.backoff.delay(), .milliseconds(1))
            ($0.limit, $0.isTooLarge, $0.doubted, $0.pauseEnd) = (limit, false, Set(ids), now + delay)
            return delay
        }
        actions.append(.wake(after: delay))
    }

    private mutating func receiverIsAtFault(_ batch: DeliveryBatch, _ status: Int) {
        let (faults, delay) = change(.group(batch.group)) {
            $0.faults += 1
            ($0.limit, $0.isTooLarge) = (1, false)
            return ($0.faults, $0.backoff.delay())
        }
        // Logged at powers of two: an outage of hours must not fill the log.
        if faults & (faults - 1) == 0 {
            let address = batch.address
            actions.append(
                .report(.refusesEverything(address: address, status: status, times: faults, pause: delay)))
        }
        pause(.group(batch.group), for: delay)
    }

    private mutating func setAside(_ ids: [Int64], address: String) {
        guard !ids.isEmpty else { return }
        actions.append(.reject(ids))
        actions.append(.report(.rejected(ids.count, address: address)))
    }
}
