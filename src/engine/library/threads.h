/* Threads that help with work which one thread could do as well. */
#pragma once

#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace {

/** As many threads as the system gives, `count` at most. `work` must not throw: that would end the process. */
template <typename Work> void startThreads(std::vector<std::thread>& threads, size_t count, const Work& work) {
    threads.reserve(count);
    try {
        while (threads.size() < count) threads.emplace_back(work);
    } catch (const std::system_error&) {
        // Where no further thread may be started, fewer do all of it.
    }
}

}  // namespace
