/*
 * Reads a row of logits where llama.cpp left it: the sum of exponentials over the whole vocabulary in float64, the
 * logits of the tokens that are asked for, the token of the greatest logit, or a token drawn at a temperature.
 *
 * node-llama-cpp copies a row into 12 bytes a token for each such question, copies it once more, and adds up in float32:
 * 1.4 ms of a core with 152k tokens, and 2.3 ms for a token that is drawn. This goes over the row twice, in 0.3 ms
 * (bench/reader.ts). Prompts with all that branches from them are evaluated and read in one call, and replies of free
 * text, whose numbers depend on their seed alone, are written to their end in one.
 *
 * `supportcal setup-cpu` and `setup-gpu` compile it beside the build of llama.cpp that they make, with the headers of
 * the package and the compiler of that build, so that it knows the package's objects by the same layout.
 */
#include <cstdint>
#include <ctime>
#include <mutex>
#include <vector>

#include "context-worker.h"
#include "pass.h"
#include "replies.h"
#include "row.h"

namespace {

/** `read(context, index, tokens)`: see `NativeReader` in native-reader.ts. */
class ReadWorker : public ContextWorker {
    public:
        ReadWorker(const Napi::CallbackInfo& info, AddonContext* context)
            : ContextWorker(info, context, "SupportCalRow"),
              index(info[1].As<Napi::Number>().Int32Value()),
              tokens(tokensIn(info[2])) {}

    protected:
        void work() override {
            const float* logits = nullptr;
            {
                // llama.cpp puts rows in order when the first one is asked for: one thread at a time. Nothing is
                // decoded in this context before its rows are read.
                const std::lock_guard<std::mutex> lock(context->sharedSamplerData.mutex);
                logits = llama_get_logits_ith(context->ctx, index);
            }
            reading = readingOf(logits, vocabularyOf(context->ctx), tokens);
        }
        Napi::Value result() override { return numbersIn(Env(), reading); }

    private:
        int32_t index;
        std::vector<int32_t> tokens;
        std::vector<double> reading;
};

/** Numbers of a list, one after the other. */
class Numbers {
    public:
        explicit Numbers(const Napi::Value& value) : list(listIn(value)) {}
        int32_t next() {
            if (at >= list.ElementLength()) throw Napi::TypeError::New(list.Env(), "the list of passes ends too soon");
            return list[at++];
        }
        /** How many follow of what takes a number each or more. */
        size_t count() {
            const int32_t number = next();
            if (number < 0 || static_cast<size_t>(number) > list.ElementLength() - at)
                throw Napi::RangeError::New(list.Env(), "the list of passes does not hold so many");
            return static_cast<size_t>(number);
        }
        Napi::Env env() const { return list.Env(); }
        /** Their count, and these. */
        std::vector<int32_t> all() {
            std::vector<int32_t> numbers(count());
            for (int32_t& number : numbers) number = next();
            return numbers;
        }

    private:
        static Napi::Int32Array listIn(const Napi::Value& value) {
            if (value.IsTypedArray() && value.As<Napi::TypedArray>().TypedArrayType() == napi_int32_array)
                return value.As<Napi::Int32Array>();
            throw Napi::TypeError::New(value.Env(), "expected a list of passes");
        }

        Napi::Int32Array list;
        size_t at = 0;
};

/** `evaluatePasses(context, passes, turns, threads)`: see `NativeReader` in native-reader.ts. */
class PassesWorker : public ContextWorker {
    public:
        PassesWorker(const Napi::CallbackInfo& info, AddonContext* context)
            : ContextWorker(info, context, "SupportCalPasses") {
            Numbers numbers(info[1]);
            passes.turns = info[2].As<Napi::Number>().Int32Value();
            passes.threads = info[3].As<Napi::Number>().Int32Value();
            passes.passes.resize(numbers.count());
            for (Pass& pass : passes.passes) {
                pass.resize(numbers.count());
                for (Part& part : pass) part = partFrom(numbers);
            }
        }

    protected:
        void work() override {
            beginPass();
            passes.all(context->ctx);
        }
        Napi::Value result() override {
            std::vector<double> readings;
            for (const Pass& pass : passes.passes)
                for (const Part& part : pass)
                    for (const Wish& wish : part.wishes)
                        readings.insert(readings.end(), wish.reading.begin(), wish.reading.end());
            return numbersIn(Env(), readings);
        }

    private:
        static Part partFrom(Numbers& numbers) {
            Part part{};
            part.sequence = numbers.next();
            part.from = numbers.next();
            part.length = numbers.next();
            part.tokens = numbers.all();
            part.wishes.resize(numbers.count());
            for (Wish& wish : part.wishes) {
                wish.at = numbers.next();
                if (wish.at < 0 || static_cast<size_t>(wish.at) >= part.tokens.size())
                    throw Napi::RangeError::New(numbers.env(), "there is no such token to read after");
                wish.wanted = numbers.all();
            }
            return part;
        }

        Passes passes;
};

/** `write(context, rows, company, ends, threads)`: see `NativeReader` in native-reader.ts. */
class WriteWorker : public ContextWorker {
    public:
        WriteWorker(const Napi::CallbackInfo& info, AddonContext* context)
            : ContextWorker(info, context, "SupportCalReplies"), writing(replies, company) {
            const auto numbers = info[1].As<Napi::Float64Array>();
            for (size_t at = 0; at + ROW_NUMBERS <= numbers.ElementLength(); at += ROW_NUMBERS)
                replies.push_back(replyOf(numbers.Data() + at));
            const auto third = info[2].As<Napi::Float64Array>();
            if (third.ElementLength() == ROW_NUMBERS) company.push_back(replyOf(third.Data()));
            const auto ends = info[3].As<Napi::Float64Array>();
            for (size_t i = 0; i < ends.ElementLength(); i++) writing.ends.push_back(static_cast<llama_token>(ends[i]));
            writing.threads = info[4].As<Napi::Number>().Int32Value();
        }

    protected:
        void work() override {
            beginPass();
            writing.all(context->ctx);
        }
        Napi::Value result() override {
            auto written = Napi::Array::New(Env(), replies.size());
            for (size_t r = 0; r < replies.size(); r++) {
                auto tokens = Napi::Int32Array::New(Env(), replies[r].written.size());
                for (size_t i = 0; i < replies[r].written.size(); i++) tokens[i] = replies[r].written[i];
                auto reply = Napi::Object::New(Env());
                reply.Set("tokens", tokens);
                reply.Set("ended", Napi::Boolean::New(Env(), replies[r].state == Reply::ENDED));
                if (replies[r].state == Reply::FAILED) reply.Set("error", Napi::String::New(Env(), replies[r].error));
                written.Set(static_cast<uint32_t>(r), reply);
            }
            return written;
        }

    private:
        std::vector<Reply> replies;
        std::vector<Reply> company;
        Writing writing;
};

/** `answerOf(row, temperature, uniform)`: greatest token, sum and token drawn of a row that JavaScript made (bench/reader.ts). */
Napi::Value answerOf(const Napi::CallbackInfo& info) {
    const auto row = info[0].As<Napi::Float32Array>();
    const auto size = static_cast<int32_t>(row.ElementLength());
    const float greatest = greatestOf(row.Data(), size);
    auto result = Napi::Float64Array::New(info.Env(), 3);
    result[0] = bestOf(row.Data(), size, greatest);
    result[1] = weightOf(row.Data(), size, greatest, 1);
    result[2] = drawnFrom(row.Data(), size, info[1].As<Napi::Number>().DoubleValue(), info[2].As<Napi::Number>().DoubleValue());
    return result;
}

/** `uniform(seed, place)`: the number that the token at a place of a reply is drawn by (bench/reader.ts). */
Napi::Value uniform(const Napi::CallbackInfo& info) {
    const auto seed = static_cast<uint64_t>(info[0].As<Napi::Number>().Int64Value());
    return Napi::Number::New(info.Env(), uniformAt(seed, info[1].As<Napi::Number>().Uint32Value()));
}

/** Milliseconds of processor time of one reading (temperature below 0) or draw, the mean of `times` of them on a row that JavaScript made. */
Napi::Value repeat(const Napi::CallbackInfo& info) {
    const auto row = info[0].As<Napi::Float32Array>();
    const auto size = static_cast<int32_t>(row.ElementLength());
    const double temperature = info[1].As<Napi::Number>().DoubleValue();
    const double uniform = info[2].As<Napi::Number>().DoubleValue();
    const int32_t times = info[3].As<Napi::Number>().Int32Value();
    volatile double kept = 0;
    const auto now = [] {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
    };
    const double started = now();
    for (int32_t i = 0; i < times; i++) {
        const float greatest = greatestOf(row.Data(), size);
        kept = temperature < 0 ? bestOf(row.Data(), size, greatest) + weightOf(row.Data(), size, greatest, 1)
                               : drawnFrom(row.Data(), size, temperature, uniform);
    }
    (void) kept;
    return Napi::Number::New(info.Env(), (now() - started) / times);
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
    exports.Set("read", Napi::Function::New(env, start<ReadWorker>));
    exports.Set("evaluatePasses", Napi::Function::New(env, start<PassesWorker>));
    exports.Set("write", Napi::Function::New(env, start<WriteWorker>));
    exports.Set("uniform", Napi::Function::New(env, uniform));
    exports.Set("answerOf", Napi::Function::New(env, answerOf));
    exports.Set("repeat", Napi::Function::New(env, repeat));
    return exports;
}

}  // namespace

NODE_API_MODULE(supportcal_reader, init)
