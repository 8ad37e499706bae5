package dev.holdfast.torture.rig;

import dev.holdfast.torture.fault.FaultKind;
import java.time.Duration;
import java.util.List;

/**
 * What is tortured.
 *
 * @param name for reports
 * @param urls what each worker connects to, through its own networks; the last one has no faulty network
 * @param faults what can be done to servers and networks
 * @param afterlife how long at most the store keeps the lock of a dead holder
 */
public record Scene(String name, List<String> urls, List<FaultKind> faults, Duration afterlife) {
    /**
     * Tells where a worker connects to.
     *
     * @param worker its number
     * @return the URL
     */
    public String url(int worker) {
        return urls.get(worker);
    }

    /** {@return where the coordinator looks} */
    public String directUrl() {
        return urls.get(urls.size() - 1);
    }
}
