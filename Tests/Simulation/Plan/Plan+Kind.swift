extension Plan.Kind {
    /// Whom it happens to; nil: to all, or to the store.
    var device: Int? {
        switch self {
        case .app(let device, _, _), .race(let device, _, _, _), .end(let device, _, _),
            .endAtWrite(let device, _, _, _, _), .suspend(let device, _), .offline(let device, _),
            .clone(let device), .save(let device), .setBack(let device), .wallClock(let device, _),
            .folderClock(let device, _),
            .diskFull(let device, _), .upon(let device, _, _), .vanish(let device, _),
            .evict(let device, _), .restore(let device, _), .resolve(let device, _),
            .bringBack(let device, _), .collect(let device),
            .takeBack(let device), .endHistory(let device, _), .repair(let device):
            device
        case .pass, .join, .storeAway, .storeFull, .storeClock, .loseObject, .corruptEntry: nil
        }
    }
}
