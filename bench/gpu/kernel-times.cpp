// Which kernels a program spends the card's time on: total time and count per kernel, and how long the card was busy, idle
// or busy with several at once. Loaded by the driver into any program:
//
//   K=$(grep -o 'CUpti_ActivityKernel[0-9]*' $CUPTI/include/cupti_activity.h | sort -V | tail -1)
//   g++ -O2 -shared -fPIC -DKERNEL=$K -I$CUPTI/include -I$CUDA/include kernel-times.cpp -L$CUPTI/lib64 -lcupti -o libkernel-times.so
//   CUDA_INJECTION64_PATH=$PWD/libkernel-times.so KERNEL_TIMES=out.txt PROGRAM
//
// Gaps of over 100 ms (loading, waiting for another step of a script) are left out of the idle time.
#include <cupti.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>
#include <unistd.h>

namespace {
struct Span { uint64_t start, end; };
struct Total { uint64_t time = 0, count = 0; };
std::mutex guard;
std::map<std::string, Total> totals;
std::vector<Span> spans;

void CUPTIAPI requested(uint8_t ** buffer, size_t * size, size_t * records) {
    *size = 8 << 20;
    *buffer = static_cast<uint8_t *>(aligned_alloc(8, *size));
    *records = 0;
}

void note(const std::string & name, uint64_t start, uint64_t end) {
    auto & total = totals[name];
    total.time += end - start;
    total.count++;
    spans.push_back({ start, end });
}

void CUPTIAPI completed(CUcontext, uint32_t, uint8_t * buffer, size_t, size_t valid) {
    std::lock_guard<std::mutex> lock(guard);
    CUpti_Activity * record = nullptr;
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
        if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
            auto * kernel = reinterpret_cast<KERNEL *>(record);
            std::string name(kernel->name);
            note(name.substr(0, 150), kernel->start, kernel->end);
        } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
            // The first fields of every version of this record are the same up to the times.
            auto * copy = reinterpret_cast<CUpti_ActivityMemcpy6 *>(record);
            note("copy, kind " + std::to_string(copy->copyKind), copy->start, copy->end);
        }
    }
    free(buffer);
}

void finish() {
    cuptiActivityFlushAll(1);
    std::lock_guard<std::mutex> lock(guard);
    const char * path = getenv("KERNEL_TIMES");
    FILE * out = path == nullptr ? stderr : fopen((std::string(path) + "." + std::to_string(getpid())).c_str(), "w");
    if (out == nullptr || spans.empty()) return;
    std::sort(spans.begin(), spans.end(), [](const Span & a, const Span & b) { return a.start < b.start; });
    uint64_t busy = 0, idle = 0, sum = 0, end = spans[0].start;
    for (const auto & span : spans) {
        sum += span.end - span.start;
        if (span.start > end && span.start - end < 100000000) idle += span.start - end;
        if (span.end > end) busy += span.end - std::max(end, span.start);
        end = std::max(end, span.end);
    }
    fprintf(out, "busy %.1f ms, idle %.1f ms (%.1f %%), kernels together %.1f ms, %zu of them\n", busy / 1e6, idle / 1e6,
        100.0 * idle / (busy + idle), sum / 1e6, spans.size());
    std::vector<std::pair<std::string, Total>> list(totals.begin(), totals.end());
    std::sort(list.begin(), list.end(), [](const auto & a, const auto & b) { return a.second.time > b.second.time; });
    for (const auto & [name, total] : list)
        fprintf(out, "%5.1f %% %9.1f ms %8lu x %8.1f us  %s\n", 100.0 * total.time / sum, total.time / 1e6,
            (unsigned long) total.count, total.time / 1e3 / total.count, name.c_str());
    if (out != stderr) fclose(out);
}
} // namespace

extern "C" int InitializeInjection(void) {
    cuptiActivityRegisterCallbacks(requested, completed);
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY);
    atexit(finish);
    return 1;
}
