/* Passes through a context: tokens that follow what its sequences hold, and readings of their logits. */
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "llama.h"
#include "row.h"
#include "threads.h"

namespace {

/** The logits of the tokens `wanted` after token `at` of a part. */
struct Wish {
    int32_t at;
    std::vector<int32_t> wanted;
    /** As `readingOf` gives it. */
    std::vector<double> reading;
};

/** Tokens of a pass that one sequence gets, which is cut back to its first `from` tokens before. */
struct Part {
    llama_seq_id sequence;
    llama_pos from;
    /** The part is filled up to so many tokens with its last one: llama.cpp takes sequences of one length together. */
    int32_t length;
    std::vector<llama_token> tokens;
    std::vector<Wish> wishes;
};

using Pass = std::vector<Part>;

int32_t vocabularyOf(const llama_context* ctx) {
    return llama_vocab_n_tokens(llama_model_get_vocab(llama_get_model(ctx)));
}

/** While it lives, no more than `limit` of them do in this process: whoever waits goes on as soon as another one ends. */
class Turn {
    public:
        explicit Turn(int32_t limit) {
            std::unique_lock<std::mutex> lock(mutex);
            ended.wait(lock, [limit] { return inside < std::max(limit, 1); });
            inside++;
        }
        ~Turn() {
            const std::lock_guard<std::mutex> lock(mutex);
            inside--;
            ended.notify_one();
        }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

    private:
        static inline std::mutex mutex;
        static inline std::condition_variable ended;
        static inline int32_t inside = 0;
};

/**
 * Passes one after the other. Every sequence holds the same tokens before them and after them, whatever happens, unless
 * it cannot be cut back: then it may be empty, or without tokens that it dropped.
 */
class Passes {
    public:
        std::vector<Pass> passes;
        /** Passes that may compute at a time in this process. */
        int32_t turns = 1;
        /** Threads that read the rows of a pass. */
        int32_t threads = 1;

        void all(llama_context* ctx) {
            for (const Pass& pass : passes) check(ctx, pass);
            try {
                for (Pass& pass : passes) evaluate(ctx, pass);
            } catch (...) {
                leave(ctx);
                throw;
            }
            leave(ctx);
        }

    private:
        /** llama.cpp ends the process where it is asked for what it has not. */
        void check(llama_context* ctx, const Pass& pass) {
            if (sizeOf(pass) > llama_n_batch(ctx)) throw std::runtime_error("more tokens than a batch holds");
            for (auto part = pass.begin(); part != pass.end(); ++part) {
                if (part->tokens.empty()) throw std::runtime_error("a prompt has no tokens");
                if (part->sequence < 0 || static_cast<uint32_t>(part->sequence) >= llama_n_seq_max(ctx))
                    throw std::runtime_error("the context has no such sequence");
                const auto isSame = [part](const Part& other) { return other.sequence == part->sequence; };
                if (std::any_of(pass.begin(), part, isSame))
                    throw std::runtime_error("a sequence has two parts of one pass");
                check(ctx, *part);
            }
        }
        void check(llama_context* ctx, const Part& part) {
            for (const Held& each : held) {
                if (each.sequence != part.sequence) continue;
                if (part.from >= each.from) return;
                throw std::runtime_error("what the sequence holds would be cut away");
            }
            if (part.from < 0 || lastOf(ctx, part.sequence) != part.from - 1)
                throw std::runtime_error("the sequence holds other tokens than it should");
            held.push_back({part.sequence, part.from});
        }

        void evaluate(llama_context* ctx, Pass& pass) const {
            for (const Part& part : pass) cut(ctx, part);
            {
                const Turn turn(turns);
                decode(ctx, pass);
            }
            // Another context computes while these rows are read.
            read(ctx, pass);
        }

        /** A sequence that dropped its first tokens, or knows only its end, cannot go on from within. */
        static void cut(llama_context* ctx, const Part& part) {
            llama_memory_t memory = llama_get_memory(ctx);
            if (lastOf(ctx, part.sequence) == part.from - 1) return;
            if (llama_memory_seq_pos_min(memory, part.sequence) != 0 ||
                !llama_memory_seq_rm(memory, part.sequence, part.from, -1) ||
                lastOf(ctx, part.sequence) != part.from - 1)
                throw std::runtime_error("the sequence could not be cut back to its prompt");
        }

        static void decode(llama_context* ctx, const Pass& pass) {
            struct Batch {
                llama_batch tokens;
                ~Batch() { llama_batch_free(tokens); }
            } batch{llama_batch_init(static_cast<int32_t>(sizeOf(pass)), 0, 1)};
            for (const Part& part : pass) add(batch.tokens, part);
            const int32_t status = llama_decode(ctx, batch.tokens);
            if (status == 0) return llama_synchronize(ctx);
            throw std::runtime_error(status == 1 ? "the context has no room for the prompts"
                                                 : "llama.cpp could not evaluate the prompts");
        }

        static void add(llama_batch& batch, const Part& part) {
            const auto last = static_cast<int32_t>(part.tokens.size()) - 1;
            const int32_t first = batch.n_tokens;
            for (int32_t i = 0; i < lengthOf(part); i++) {
                const int32_t at = batch.n_tokens++;
                batch.token[at] = part.tokens[static_cast<size_t>(std::min(i, last))];
                batch.pos[at] = part.from + i;
                batch.n_seq_id[at] = 1;
                batch.seq_id[at][0] = part.sequence;
                batch.logits[at] = 0;
            }
            for (const Wish& wish : part.wishes) batch.logits[first + wish.at] = 1;
        }

        void read(llama_context* ctx, Pass& pass) const {
            struct Row {
                const float* logits;
                Wish* wish;
            };
            std::vector<Row> rows;
            int32_t first = 0;
            // llama.cpp puts rows in order when the first one is asked for: this is for one thread.
            for (Part& part : pass) {
                for (Wish& wish : part.wishes) rows.push_back({llama_get_logits_ith(ctx, first + wish.at), &wish});
                first += lengthOf(part);
            }
            std::atomic<bool> areRead{true};
            const int32_t size = vocabularyOf(ctx);
            std::atomic<size_t> next{0};
            const auto work = [&] {
                try {
                    for (size_t r = next++; r < rows.size(); r = next++)
                        rows[r].wish->reading = readingOf(rows[r].logits, size, rows[r].wish->wanted);
                } catch (const std::exception&) {
                    areRead = false;
                }
            };
            const size_t readers = std::min(rows.size(), static_cast<size_t>(std::max(threads, 1)));
            std::vector<std::thread> others;
            startThreads(others, std::max<size_t>(readers, 1) - 1, work);
            work();
            for (std::thread& other : others) other.join();
            if (!areRead) throw std::runtime_error("the logits could not be read");
        }

        /** A sequence that cannot be cut back is emptied: what stayed would stand before the next prompt. */
        void leave(llama_context* ctx) const {
            for (const auto& [sequence, from] : held)
                if (!llama_memory_seq_rm(llama_get_memory(ctx), sequence, from, -1))
                    llama_memory_seq_rm(llama_get_memory(ctx), sequence, -1, -1);
        }

        static llama_pos lastOf(llama_context* ctx, llama_seq_id sequence) {
            return llama_memory_seq_pos_max(llama_get_memory(ctx), sequence);
        }
        static int32_t lengthOf(const Part& part) {
            return std::max(part.length, static_cast<int32_t>(part.tokens.size()));
        }
        static size_t sizeOf(const Pass& pass) {
            size_t size = 0;
            for (const Part& part : pass) size += static_cast<size_t>(lengthOf(part));
            return size;
        }

        struct Held {
            llama_seq_id sequence;
            llama_pos from;
        };
        std::vector<Held> held;
};

}  // namespace
