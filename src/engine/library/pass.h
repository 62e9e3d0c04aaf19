/* Prompts that are evaluated in one pass, each in a sequence of its own, and read at their last tokens. */
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "llama.h"
#include "row.h"

namespace {

struct Prompt {
    llama_seq_id sequence;
    std::vector<llama_token> tokens;
    /** Tokens whose logits are wanted. */
    std::vector<int32_t> wanted;
    /** As `readingOf` gives it. */
    std::vector<double> reading;
};

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

/** Every sequence holds `kept` tokens, before the pass and after it; the prompt's own follow them. */
class Pass {
    public:
        llama_pos kept = 0;
        std::vector<Prompt> prompts;

        /** llama.cpp takes sequences of one length together: each prompt is filled up with its own last token. */
        void decode(llama_context* ctx) {
            for (const Prompt& prompt : prompts) longest = std::max(longest, prompt.tokens.size());
            check(ctx);
            llama_batch batch = llama_batch_init(static_cast<int32_t>(prompts.size() * longest), 0, 1);
            for (const Prompt& prompt : prompts)
                for (size_t i = 0; i < longest; i++) add(batch, prompt, i);
            const int32_t status = llama_decode(ctx, batch);
            llama_batch_free(batch);
            if (status == 0) return llama_synchronize(ctx);
            rewind(ctx);
            throw std::runtime_error(status == 1 ? "the context has no room for the prompts"
                                                 : "llama.cpp could not evaluate the prompts");
        }

        void read(llama_context* ctx) {
            const int32_t size = vocabularyOf(ctx);
            for (size_t p = 0; p < prompts.size(); p++) {
                Prompt& prompt = prompts[p];
                const size_t at = p * longest + prompt.tokens.size() - 1;
                const float* logits = llama_get_logits_ith(ctx, static_cast<int32_t>(at));
                prompt.reading = readingOf(logits, size, prompt.wanted);
            }
            rewind(ctx);
        }

    private:
        /** llama.cpp ends the process where it is asked for what it has not. */
        void check(llama_context* ctx) const {
            if (prompts.size() * longest > llama_n_batch(ctx)) throw std::runtime_error("more tokens than a batch holds");
            for (const Prompt& prompt : prompts) {
                if (prompt.tokens.empty()) throw std::runtime_error("a prompt has no tokens");
                if (prompt.sequence < 0 || static_cast<uint32_t>(prompt.sequence) >= llama_n_seq_max(ctx))
                    throw std::runtime_error("the context has no such sequence");
                if (llama_memory_seq_pos_max(llama_get_memory(ctx), prompt.sequence) != kept - 1)
                    throw std::runtime_error("the sequence holds other tokens than it should");
            }
        }
        void add(llama_batch& batch, const Prompt& prompt, size_t i) const {
            const int32_t at = batch.n_tokens++;
            const size_t last = prompt.tokens.size() - 1;
            batch.token[at] = prompt.tokens[std::min(i, last)];
            batch.pos[at] = kept + static_cast<llama_pos>(i);
            batch.n_seq_id[at] = 1;
            batch.seq_id[at][0] = prompt.sequence;
            batch.logits[at] = i == last;
        }
        /** A sequence that cannot be cut back is emptied: what stayed would stand before the next prompt. */
        void rewind(llama_context* ctx) const {
            for (const Prompt& prompt : prompts)
                if (!llama_memory_seq_rm(llama_get_memory(ctx), prompt.sequence, kept, -1))
                    llama_memory_seq_rm(llama_get_memory(ctx), prompt.sequence, -1, -1);
        }

        size_t longest = 0;
};

}  // namespace
