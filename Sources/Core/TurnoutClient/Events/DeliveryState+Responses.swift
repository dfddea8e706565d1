/// Applies results to the delivery state.
extension DeliveryState {
    mutating func read(_ result: DeliveryResult, to batch: DeliveryBatch) {
        switch result {
        case .reply(.accepted): accepted(batch)
        case .reply(.busy(let status, let pause)):
            failed(batch, "\(DeliveryReport.host(of: batch.address)) responded with status \(status)", atLeast: pause)
        case .failed(let cause): failed(batch, cause, atLeast: nil)
        case .reply(.misconfigured(let status)): misconfigured(batch, status)
        case .reply(.refused(let status)): refused(batch, status)
        case .reply(.invalid(let places, let status)):
            responded(batch)
            suspect(places.sorted().map { batch.ids[$0] }, of: batch, status)
            rescan()
        case .badAddress(let cause): badAddress(batch, cause)
        case .noTransport: block(.address(batch.address), for: options.longestDelay)
        }
    }

    // MARK: Success

    private mutating func accepted(_ batch: DeliveryBatch) {
        actions.append(.remove(batch.ids))
        responded(batch)
        records.addresses[batch.address]?.isTrusted = true
        records.addresses[batch.address]?.isReported = false
        actions.append(.report(.delivered(batch.events.count)))
        resolveSuspects(of: batch)
        guard var record = records.groups[batch.group] else { return }
        if let limit = record.limit {
            record.limit = 2 * limit >= largestBatch ? nil : 2 * limit
        }
        record.backoff.reset()
        record.acceptances += 1
        record.hasAcceptedSinceSplit = true
        record.isReported = false
        records.groups[batch.group] = record
    }

    /// The receiver accepted an event, so the events that it refused individually are invalid, unless it refused
    /// everything: then they get a second chance.
    private mutating func resolveSuspects(of batch: DeliveryBatch) {
        guard var record = records.groups[batch.group] else { return }
        for id in batch.ids {
            record.suspects[id] = nil
            record.secondChances.remove(id)
        }
        record.refusals = 0
        let hadFault = record.isFaulty
        let suspects = record.suspects.keys.sorted()
        record.faults = 0
        if hadFault {
            actions.append(.report(.acceptedAgain(address: batch.address)))
            record.secondChances.formUnion(suspects)
            record.limit = nil
            records.addresses[batch.address]?.bytes = nil
            record.suspects = [:]
        } else {
            let idsInFlight = inFlight.ids
            for id in suspects where !idsInFlight.contains(id) { record.suspects[id] = nil }
        }
        record.suspectsRetry = record.suspects.isEmpty ? nil : record.suspectsRetry
        records.groups[batch.group] = record
        let bad = hadFault ? [] : suspects.filter { record.suspects[$0] == nil }
        if hadFault { rescan() } else { reject(bad, address: batch.address) }
    }

    /// The receiver responded, with any status.
    private mutating func responded(_ batch: DeliveryBatch) {
        records.addresses[batch.address]?.backoff.reset()
        records.addresses[batch.address]?.failures = 0
        records.addresses[batch.address]?.attempts = 0
    }

    // MARK: Failures

    private mutating func failed(_ batch: DeliveryBatch, _ cause: String, atLeast pause: Duration?) {
        guard var record = records.addresses[batch.address] else { return }
        // Of several concurrent requests only the first failure counts.
        guard !blocks.contains(.address(batch.address)) else { return leaveInStore() }
        record.isTrusted = false
        record.failures += 1
        record.attempts += 1
        let delay = max(record.backoff.delay(), pause ?? .zero)
        records.addresses[batch.address] = record
        // A flush does not wait for longer delays.
        let isRetry = record.attempts < options.attempts && delay <= options.requestDeadline
        actions.append(
            .report(
                .attemptFailed(
                    events: batch.events.count, attempt: record.failures, cause: cause, pause: delay)))
        leaveInStore()
        block(.address(batch.address), for: delay, isRetry: isRetry)
    }

    private mutating func misconfigured(_ batch: DeliveryBatch, _ status: Int) {
        leaveInStore()
        if options.isObsolete?(batch.group) == true { return reject(batch.ids, address: batch.address) }
        let isGroup = status == 401 || status == 403
        if records.report(isGroup ? .group(batch.group) : .address(batch.address)) {
            actions.append(
                .report(.misconfigured(address: batch.address, status: status, pause: options.longestDelay)))
        }
        records.addresses[batch.address]?.isTrusted = false
        block(isGroup ? .group(batch.group) : .address(batch.address), for: options.longestDelay)
    }

    private mutating func badAddress(_ batch: DeliveryBatch, _ cause: String) {
        leaveInStore()
        if records.report(.address(batch.address)) {
            actions.append(.report(.badAddress(address: batch.address, cause: cause)))
        }
        block(.address(batch.address), for: nil)
    }

    // MARK: Refusals

    private mutating func refused(_ batch: DeliveryBatch, _ status: Int) {
        responded(batch)
        guard batch.events.count > 1 else { return suspect(batch.ids, of: batch, status) }
        if status == 413 {
            let known = records.addresses[batch.address]?.bytes ?? .max
            let half = max(1, batch.events.reduce(0) { $0 + $1.event.visitor.count } / 2)
            records.addresses[batch.address]?.bytes = min(known, half)
        }
        if records.groups[batch.group]?.limit == nil { records.groups[batch.group]?.hasAcceptedSinceSplit = false }
        records.groups[batch.group]?.limit = batch.events.count / 2
        actions.append(.report(.split(batch.events.count, status: status)))
        rescan()
    }

    /// Handles events that were refused individually or identified as invalid. They are invalid if the receiver accepts
    /// others of the group; otherwise it may be at fault, or not accept the project. None is given up meanwhile.
    private mutating func suspect(_ ids: [Int64], of batch: DeliveryBatch, _ status: Int) {
        guard var record = records.groups[batch.group] else { return }
        let isSplit = record.limit != nil && record.hasAcceptedSinceSplit
        let bad = Set(
            ids.filter { id in
                guard !record.isFaulty else { return false }
                return isSplit || record.secondChances.contains(id)
                    || record.suspects[id].map { $0 < record.acceptances } == true
            })
        var isNew = false
        for id in ids {
            if bad.contains(id) {
                record.suspects[id] = nil
                record.secondChances.remove(id)
            } else if record.suspects[id] == nil, record.suspects.count < GroupRecord.suspectLimit {
                record.suspects[id] = record.acceptances
                isNew = true
            }
        }
        if isNew { record.refusals += 1 }
        let doubted = ids.count - bad.count
        let isMost = doubted >= Self.refusalsOfAFault && 10 * doubted >= 9 * batch.events.count
        let isAtFault = record.isFaulty || record.refusals >= Self.refusalsOfAFault || isMost && isNew
        if !bad.isEmpty { record.limit = nil }
        if bad.count < ids.count, !isAtFault {
            let delay = record.backoff.delay()
            record.suspectsRetry = moment.now + delay
            actions.append(.wake(after: delay))
        }
        records.groups[batch.group] = record
        leaveInStore()
        reject(bad.sorted(), address: batch.address)
        if isAtFault, bad.count < ids.count { receiverIsAtFault(batch, status) }
    }

    /// The number of consecutive individual refusals after which the receiver is considered to be at fault.
    private static let refusalsOfAFault = 3

    private mutating func receiverIsAtFault(_ batch: DeliveryBatch, _ status: Int) {
        guard var record = records.groups[batch.group] else { return }
        record.faults += 1
        record.limit = 1
        record.refusals = 0
        record.suspectsRetry = nil
        let delay = record.backoff.delay()
        records.groups[batch.group] = record
        records.addresses[batch.address]?.isTrusted = false
        if record.faults & (record.faults - 1) == 0 {
            actions.append(
                .report(
                    .refusesEverything(
                        address: batch.address, status: status, events: record.suspects.count, times: record.faults,
                        pause: delay)))
        }
        block(.group(batch.group), for: delay)
    }

    private mutating func reject(_ ids: [Int64], address: String) {
        guard !ids.isEmpty else { return }
        window.remove(Set(ids))
        actions.append(.reject(ids))
        actions.append(.report(.rejected(ids.count, address: address)))
    }

    /// The events of a batch are in the store, but no longer in the window; they are read again when the block ends.
    private mutating func leaveInStore() { window.recordSkip() }
}
