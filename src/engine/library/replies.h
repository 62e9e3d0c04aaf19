/* Replies that are written in several sequences of a context at a time, no JavaScript between their tokens. */
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "llama.h"
#include "row.h"
#include "threads.h"

/** In products.cpp, where the process has loaded it. */
extern "C" __attribute__((weak)) void supportcal_draws(bool draws);

namespace {

/** While it lives, matrices are multiplied in this thread as is fastest for the few tokens of a pass that draws. */
class Drawing {
    public:
        Drawing() { say(true); }
        ~Drawing() { say(false); }
        Drawing(const Drawing&) = delete;
        Drawing& operator=(const Drawing&) = delete;

    private:
        static void say(bool draws) {
            if (supportcal_draws != nullptr) supportcal_draws(draws);
        }
};

/** Numbers that describe a reply; see `replyOf`. */
constexpr size_t ROW_NUMBERS = 6;

struct Reply {
    enum State { LIVE, ENDED, CUT, FAILED };
    llama_seq_id sequence = 0;
    /** Where its next token goes, and that token. */
    llama_pos position = 0;
    llama_token token = 0;
    double temperature = 0;
    uint64_t seed = 0;
    size_t limit = 0;
    llama_pos start = 0;
    State state = LIVE;
    std::vector<llama_token> written;
    std::string error;

    void fail(const char* why) {
        state = FAILED;
        error = why;
    }
};

Reply replyOf(const double* numbers) {
    Reply reply;
    reply.sequence = static_cast<llama_seq_id>(numbers[0]);
    reply.start = reply.position = static_cast<llama_pos>(numbers[1]);
    reply.token = static_cast<llama_token>(numbers[2]);
    reply.temperature = numbers[3];
    reply.seed = static_cast<uint64_t>(numbers[4]);
    reply.limit = static_cast<size_t>(numbers[5]);
    return reply;
}

/** Steele, Lea and Flood 2014 (SplitMix64): the mixed value of one state. */
inline uint64_t mixed(uint64_t state) {
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9ULL;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebULL;
    return state ^ (state >> 31);
}

/** A number in [0, 1) that seed and place alone decide: the place-th output of SplitMix64 that starts at the mixed seed. */
inline double uniformAt(uint64_t seed, uint64_t place) {
    constexpr uint64_t GOLDEN = 0x9e3779b97f4a7c15ULL;
    return static_cast<double>(mixed(mixed(seed + GOLDEN) + (place + 1) * GOLDEN) >> 11) * 0x1.0p-53;
}

/** Threads that share the rows of a pass among them; they sleep while llama.cpp decodes. */
class Crew {
    public:
        explicit Crew(size_t helpers) {
            startThreads(threads, helpers, [this] { help(); });
        }
        ~Crew() {
            begin(0, [](size_t) {}, true);
            for (std::thread& thread : threads) thread.join();
        }
        /** Does the work for 0 .. size - 1; returns when all of it is done. */
        void share(size_t size, std::function<void(size_t)> work) {
            if (size == 1) return work(0);
            begin(size, std::move(work), false);
            takeAll();
            std::unique_lock<std::mutex> lock(mutex);
            done.wait(lock, [this] { return busy == 0; });
        }

    private:
        void begin(size_t size, std::function<void(size_t)> work, bool last) {
            const std::lock_guard<std::mutex> lock(mutex);
            job = std::move(work);
            count = size;
            next = 0;
            busy = threads.size();
            over = last;
            round++;
            wake.notify_all();
        }
        void takeAll() {
            for (size_t i = next++; i < count; i = next++) job(i);
        }
        void help() {
            for (uint64_t seen = 0;;) {
                {
                    std::unique_lock<std::mutex> lock(mutex);
                    wake.wait(lock, [&] { return round != seen; });
                    seen = round;
                    if (over) return;
                }
                takeAll();
                const std::lock_guard<std::mutex> lock(mutex);
                if (--busy == 0) done.notify_one();
            }
        }

        std::mutex mutex;
        std::condition_variable wake;
        std::condition_variable done;
        std::function<void(size_t)> job;
        size_t count = 0;
        std::atomic<size_t> next{0};
        size_t busy = 0;
        uint64_t round = 0;
        bool over = false;
        std::vector<std::thread> threads;
};

/** Replies that are written together: each pass takes every one of them a token further. */
class Writing {
    public:
        /** @param company a sequence that stands by where only one reply is written, or none */
        Writing(std::vector<Reply>& replies, std::vector<Reply>& company) : replies(replies), company(company) {}

        /** Tokens that end a reply, beside those that the vocabulary says do. */
        std::vector<llama_token> ends;
        int32_t threads = 1;

        /** Writes all replies to their end, and takes what they left out of the sequences. */
        void all(llama_context* ctx) {
            if (replies.size() + company.size() > llama_n_batch(ctx)) return failAll("more replies than a batch holds");
            const auto isKnown = [ctx](const Reply& reply) {
                return reply.sequence >= 0 && static_cast<uint32_t>(reply.sequence) < llama_n_seq_max(ctx);
            };
            // llama.cpp ends the process where it is asked for a sequence that it has not.
            if (!std::all_of(replies.begin(), replies.end(), isKnown) ||
                !std::all_of(company.begin(), company.end(), isKnown))
                return failAll("the context has no such sequence");
            const auto* vocab = llama_model_get_vocab(llama_get_model(ctx));
            const int32_t size = llama_vocab_n_tokens(vocab);
            const size_t rows = replies.size();
            Crew crew(std::min<size_t>(std::max<size_t>(rows, 1), std::max(threads, 1)) - 1);
            llama_batch batch = llama_batch_init(static_cast<int32_t>(rows + company.size() + 1), 0, 1);
            const Drawing drawing;
            while (fill(ctx, batch)) {
                if (const char* why = fault(llama_decode(ctx, batch))) {
                    failAll(why);
                    break;
                }
                llama_synchronize(ctx);
                logits.clear();
                for (size_t l = 0; l < live.size(); l++)
                    logits.push_back(llama_get_logits_ith(ctx, static_cast<int32_t>(l)));
                crew.share(live.size(), [&](size_t l) { goOn(*live[l], logits[l], size, vocab); });
            }
            llama_batch_free(batch);
            for (const Reply& reply : replies) rewind(ctx, reply);
            for (const Reply& other : company) rewind(ctx, other);
        }

    private:
        /** Puts the next token of each reply that is not done into the batch; false: all are done. */
        bool fill(llama_context* ctx, llama_batch& batch) {
            live.clear();
            batch.n_tokens = 0;
            Reply* idle = company.empty() ? nullptr : &company[0];
            for (Reply& reply : replies) {
                if (reply.state == Reply::LIVE) {
                    live.push_back(&reply);
                    add(batch, reply, reply.position++, true);
                } else if (idle == nullptr) {
                    idle = &reply;
                }
            }
            // One sequence alone takes other kernels than several. What a reply that is done takes in goes out again.
            if (live.size() == 1 && idle != nullptr) {
                if (rewind(ctx, *idle)) idle->position = idle->start;
                add(batch, *idle, idle->position++, false);
            }
            return !live.empty();
        }
        void add(llama_batch& batch, const Reply& reply, llama_pos position, bool isRead) {
            const int32_t at = batch.n_tokens++;
            batch.token[at] = reply.token;
            batch.pos[at] = position;
            batch.n_seq_id[at] = 1;
            batch.seq_id[at][0] = reply.sequence;
            batch.logits[at] = isRead;
        }
        void goOn(Reply& reply, const float* row, int32_t size, const llama_vocab* vocab) {
            if (row == nullptr) return reply.fail("the model has no logits at this token");
            const double uniform = uniformAt(reply.seed, reply.written.size());
            const int32_t token = drawnFrom(row, size, reply.temperature, uniform);
            if (token < 0) return reply.fail("no token could be drawn: logits are not finite");
            if (llama_vocab_is_eog(vocab, token) || std::find(ends.begin(), ends.end(), token) != ends.end()) {
                reply.state = Reply::ENDED;
                return;
            }
            reply.written.push_back(token);
            reply.token = token;
            if (reply.written.size() >= reply.limit) reply.state = Reply::CUT;
        }
        static bool rewind(llama_context* ctx, const Reply& reply) {
            return llama_memory_seq_rm(llama_get_memory(ctx), reply.sequence, reply.start, -1);
        }
        static const char* fault(int32_t status) {
            if (status == 0) return nullptr;
            return status == 1 ? "the context has no room for a further token" : "llama.cpp could not evaluate a token";
        }
        void failAll(const char* why) {
            for (Reply& reply : replies)
                if (reply.state == Reply::LIVE) reply.fail(why);
        }

        std::vector<Reply>& replies;
        std::vector<Reply>& company;
        std::vector<Reply*> live;
        std::vector<const float*> logits;
};

}  // namespace
