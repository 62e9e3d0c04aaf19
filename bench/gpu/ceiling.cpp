/*
 * What free text and readings can reach on a card with no JavaScript between: prompts of a context are evaluated, then
 * every sequence goes on by a token a pass, which is drawn at temperature 0.7.
 *
 *   ceiling MODEL WAY [CONTEXTS [SEQUENCES [LENGTH [WORDS [THREADS]]]]]
 *
 * WAY: bare (logits come to the host and nothing is drawn), threads (drawn by THREADS of the processor for each context),
 * card (llama.cpp's own samplers on the card: a graph of a few nodes for each sequence), together (on the card with one graph
 * for all rows: a sampler of our own through the same interface). `readings` in place of a way says what one thread needs for
 * the log-total of a row and for a draw, and what THREADS of them need for 64 rows, in the memory that logits lie in.
 */
#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "ggml-backend.h"
#include "ggml.h"
#include "llama.h"

static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static uint64_t state = 88172645463325252ull;
static uint32_t draw32(uint64_t & s) {
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    return (uint32_t)(s >> 32);
}

constexpr float TEMPERATURE = 0.7f;
constexpr int BLOCK = 1024;

static float greatest(const float * row, int n) {
    float most = row[0];
    for (int i = 1; i < n; i++) most = std::max(most, row[i]);
    return most;
}

static float weights(const float * row, int n, float most, float scale) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += expf((row[i] - most) * scale);
    return sum;
}

static double log_total(const float * row, int n) {
    const float most = greatest(row, n);
    double sum = 0;
    for (int at = 0; at < n; at += BLOCK) sum += weights(row + at, std::min(BLOCK, n - at), most, 1);
    return most + log(sum);
}

static int drawn(const float * row, int n, double uniform) {
    const float most = greatest(row, n);
    std::vector<float> blocks((n + BLOCK - 1) / BLOCK);
    double sum = 0;
    for (size_t b = 0; b < blocks.size(); b++) {
        blocks[b] = weights(row + b * BLOCK, std::min<int>(BLOCK, n - b * BLOCK), most, 1 / TEMPERATURE);
        sum += blocks[b];
    }
    double left = uniform * sum;
    size_t b = 0;
    while (b + 1 < blocks.size() && left >= blocks[b]) left -= blocks[b++];
    const int end = std::min<int>(n, (b + 1) * BLOCK);
    int at = b * BLOCK;
    for (; at + 1 < end; at++) {
        left -= expf((row[at] - most) / TEMPERATURE);
        if (left < 0) break;
    }
    return at;
}

/* Threads that wait for work in a loop, since a pass of draws takes a millisecond. */
struct Pool {
    std::vector<std::thread> threads;
    std::atomic<int> next{0}, done{0}, round{0}, count{0};
    std::atomic<bool> over{false};
    std::function<void(int)> work;
    explicit Pool(int n) {
        for (int t = 1; t < n; t++)
            threads.emplace_back([this] {
                for (int seen = 0; !over;) {
                    if (round == seen) {
                        std::this_thread::yield();
                        continue;
                    }
                    seen = round;
                    take();
                }
            });
    }
    void take() {
        for (int i; (i = next++) < count;) {
            work(i);
            done++;
        }
    }
    void each(int n, std::function<void(int)> what) {
        next = n;
        work = std::move(what);
        done = 0;
        count = n;
        next = 0;
        round++;
        take();
        while (done < n) std::this_thread::yield();
    }
    ~Pool() {
        over = true;
        for (auto & each : threads) each.join();
    }
};

/* One graph for the draws of all rows: what `dist` does for one sequence, with a place in it for each sampler. */
struct Together {
    ggml_tensor * tokens = nullptr;
    ggml_tensor * uniforms = nullptr;
    bool set = false;
};
static Together * shared_by(const llama_sampler * sampler) { return (Together *) sampler->ctx; }

static llama_sampler_i TOGETHER = [] {
    llama_sampler_i it{};
    it.name = [](const llama_sampler *) { return "together"; };
    it.apply = [](llama_sampler *, llama_token_data_array *) {};
    it.backend_init = [](llama_sampler *, ggml_backend_buffer_type_t, uint32_t) { return true; };
    it.backend_reset = [](llama_sampler * sampler) { *shared_by(sampler) = Together{}; };
    it.backend_set_input = [](llama_sampler * sampler) {
        Together & all = *shared_by(sampler);
        if (all.set) return;
        all.set = true;
        std::vector<float> values(ggml_nelements(all.uniforms));
        for (float & value : values) value = draw32(state) / 4294967296.0f;
        ggml_backend_tensor_set(all.uniforms, values.data(), 0, ggml_nbytes(all.uniforms));
    };
    it.backend_apply = [](llama_sampler * sampler, ggml_context * ctx, ggml_cgraph *, llama_sampler_data * data) {
        Together & all = *shared_by(sampler);
        ggml_tensor * logits = data->logits->view_src ? data->logits->view_src : data->logits;
        const size_t row = data->logits->view_src ? data->logits->view_offs / logits->nb[1] : 0;
        if (all.tokens == nullptr || row >= (size_t) ggml_nelements(all.tokens)) {
            const int64_t n = logits->ne[0];
            all.uniforms = ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 1, logits->ne[1]);
            ggml_set_input(all.uniforms);
            ggml_tensor * probs = ggml_soft_max(ctx, ggml_scale(ctx, logits, 1 / TEMPERATURE));
            ggml_tensor * above = ggml_step(ctx, ggml_sub(ctx, ggml_cumsum(ctx, probs), all.uniforms));
            ggml_tensor * left = ggml_clamp(ctx, ggml_sum_rows(ctx, above), 1.0f, n);
            all.tokens = ggml_cast(ctx, ggml_scale_bias(ctx, left, -1.0f, n), GGML_TYPE_I32);
        }
        data->sampled = ggml_view_1d(ctx, all.tokens, 1, row * all.tokens->nb[1]);
        data->logits = nullptr;
    };
    return it;
}();

static int number(int count, char ** given, int at, int otherwise) { return count > at ? atoi(given[at]) : otherwise; }

int main(int argc, char ** argv) {
    if (argc < 3) return fprintf(stderr, "ceiling MODEL WAY [CONTEXTS [SEQUENCES [LENGTH [WORDS [THREADS]]]]]\n"), 2;
    const std::string way = argv[2];
    const int contexts = number(argc, argv, 3, 1), sequences = number(argc, argv, 4, 64), length = number(argc, argv, 5, 200);
    const int words = number(argc, argv, 6, 16), threads = number(argc, argv, 7, std::thread::hardware_concurrency());
    llama_log_set([](ggml_log_level level, const char * text, void *) { if (level >= GGML_LOG_LEVEL_ERROR) fputs(text, stderr); }, nullptr);
    ggml_backend_load_all();
    llama_model_params settings = llama_model_default_params();
    settings.n_gpu_layers = getenv("LAYERS") ? atoi(getenv("LAYERS")) : 999;
    llama_model * model = llama_model_load_from_file(argv[1], settings);
    if (model == nullptr) return 1;
    const int vocabulary = llama_vocab_n_tokens(llama_model_get_vocab(model));
    std::barrier<> together(contexts);
    std::vector<double> from(contexts), until(contexts), passes(contexts), draws(contexts), before(contexts);
    std::vector<llama_context *> open(contexts);
    std::vector<llama_sampler *> samplers;
    for (int c = 0; c < contexts; c++) {
        llama_context_params asked = llama_context_default_params();
        asked.n_ctx = sequences * (length + words + 1);
        asked.n_batch = asked.n_ubatch = 2048;
        asked.n_seq_max = sequences;
        asked.n_threads = asked.n_threads_batch = 1;
        open[c] = llama_init_from_model(model, asked);
        if (open[c] == nullptr) return 1;
        if (way != "card" && way != "together") continue;
        auto * all = new Together;
        for (int s = 0; s < sequences; s++) {
            llama_sampler * chain = llama_sampler_chain_init(llama_sampler_chain_default_params());
            if (way == "together") {
                llama_sampler_chain_add(chain, llama_sampler_init(&TOGETHER, all));
            } else {
                llama_sampler_chain_add(chain, llama_sampler_init_temp(TEMPERATURE));
                llama_sampler_chain_add(chain, llama_sampler_init_dist(1 + s));
            }
            if (!llama_set_sampler(open[c], s, chain)) return fprintf(stderr, "no sampler on the card\n"), 1;
            samplers.push_back(chain);
        }
    }
    std::vector<std::vector<llama_token>> written(contexts);
    auto run = [&](int c) {
        llama_context * context = open[c];
        llama_memory_t memory = llama_get_memory(context);
        llama_batch batch = llama_batch_init(2048, 0, 1);
        auto add = [&](llama_token token, int at, int sequence, bool read) {
            const int i = batch.n_tokens++;
            batch.token[i] = token;
            batch.pos[i] = at;
            batch.n_seq_id[i] = 1;
            batch.seq_id[i][0] = sequence;
            batch.logits[i] = read;
        };
        auto decode = [&] {
            if (llama_decode(context, batch) != 0) exit(fprintf(stderr, "a pass failed\n"));
            llama_synchronize(context);
        };
        Pool pool(way == "threads" || way == "readings" ? threads : 1);
        uint64_t own = state + c;
        std::vector<llama_token> last(sequences);
        std::vector<double> uniforms(sequences);
        for (int round = 0; round < 2; round++) {
            llama_memory_clear(memory, false);
            together.arrive_and_wait();
            const double start = now();
            const int fit = 2048 / length;
            for (int s = 0; s < sequences; s += fit) {
                batch.n_tokens = 0;
                for (int k = s; k < std::min(sequences, s + fit); k++)
                    for (int p = 0; p + 1 < length; p++) add(1000 + draw32(own) % 100000, p, k, false);
                decode();
            }
            together.arrive_and_wait();
            before[c] = now() - start;
            for (auto & token : last) token = 1000 + draw32(own) % 100000;
            written[c].clear();
            passes[c] = draws[c] = 0;
            from[c] = now();
            for (int w = 0; w < words; w++) {
                batch.n_tokens = 0;
                for (int s = 0; s < sequences; s++) add(last[s], length - 1 + w, s, true);
                const double began = now();
                decode();
                const double decoded = now();
                passes[c] += decoded - began;
                for (auto & uniform : uniforms) uniform = draw32(own) / 4294967296.0;
                if (way == "threads")
                    pool.each(sequences, [&](int s) { last[s] = drawn(llama_get_logits_ith(context, s), vocabulary, uniforms[s]); });
                if (way == "card" || way == "together")
                    for (int s = 0; s < sequences; s++) last[s] = llama_get_sampled_token_ith(context, s);
                draws[c] += now() - decoded;
                written[c].insert(written[c].end(), last.begin(), last.end());
            }
            until[c] = now();
        }
        if (way == "readings") {
            auto timed = [&](const char * name, int times, std::function<void()> work) {
                work();
                const double began = now();
                for (int i = 0; i < times; i++) work();
                printf("%s: %.3f ms\n", name, (now() - began) / times * 1000);
            };
            volatile double kept = 0;
            auto row = [&](int s) { return llama_get_logits_ith(context, s); };
            timed("log-total, one row after the other", 5, [&] { for (int s = 0; s < sequences; s++) kept = log_total(row(s), vocabulary); });
            timed("draw, one row after the other", 5, [&] { for (int s = 0; s < sequences; s++) kept = drawn(row(s), vocabulary, 0.5); });
            timed("log-total, threads", 20, [&] { pool.each(sequences, [&](int s) { uniforms[s] = log_total(row(s), vocabulary); }); });
            timed("draw, threads", 20, [&] { pool.each(sequences, [&](int s) { last[s] = drawn(row(s), vocabulary, 0.5); }); });
        }
        llama_batch_free(batch);
    };
    std::vector<std::thread> all;
    for (int c = 0; c < contexts; c++) all.emplace_back(run, c);
    for (auto & each : all) each.join();
    const double seconds = *std::max_element(until.begin(), until.end()) - *std::min_element(from.begin(), from.end());
    double passed = 0, drew = 0;
    std::vector<llama_token> kinds;
    for (int c = 0; c < contexts; c++) {
        passed += passes[c] / contexts / words;
        drew += draws[c] / contexts / words;
        kinds.insert(kinds.end(), written[c].begin(), written[c].end());
    }
    std::sort(kinds.begin(), kinds.end());
    const size_t different = std::unique(kinds.begin(), kinds.end()) - kinds.begin();
    printf("%s, %d contexts of %d: %.0f tokens/s, a pass %.2f ms, drawing %.2f ms; prompts %.0f tokens/s; %zu different of %zu tokens\n",
        way.c_str(), contexts, sequences, contexts * sequences * words / seconds, passed * 1000, drew * 1000,
        contexts * sequences * (length - 1) / *std::max_element(before.begin(), before.end()), different, written[0].size() * contexts);
    for (llama_context * context : open) llama_free(context);
    llama_model_free(model);
}
