/*
 * Reads a row of logits where llama.cpp left it: the sum of exponentials over the whole vocabulary in float64, the
 * logits of the tokens that are asked for, the token of the greatest logit, or a token drawn at a temperature.
 *
 * node-llama-cpp copies a row into 12 bytes a token for each such question, copies it once more, and adds up in float32:
 * 1.4 ms of a core with 152k tokens, and 2.3 ms for a token that is drawn. This goes over the row twice, in 0.3 ms
 * (bench/reader.ts). Replies of free text are written to their end in one call, whose numbers depend on their seed alone.
 *
 * `supportcal setup-cpu` and `setup-gpu` compile it beside the build of llama.cpp that they make, with the headers of
 * the package and the compiler of that build, so that it knows the package's objects by the same layout.
 */
#include <cstdint>
#include <ctime>
#include <limits>
#include <mutex>
#include <vector>

#include "AddonContext.h"
#include "replies.h"
#include "row.h"

namespace {

/** A question to a row, which is answered on a thread of libuv's pool. */
class RowWorker : public Napi::AsyncWorker {
    public:
        RowWorker(const Napi::CallbackInfo& info, AddonContext* context)
            : Napi::AsyncWorker(info.Env(), "SupportCalRow"),
              deferred(Napi::Promise::Deferred::New(info.Env())),
              context(context),
              index(info[1].As<Napi::Number>().Int32Value()) {
            context->Ref();
        }
        ~RowWorker() override { context->Unref(); }
        Napi::Promise promise() { return deferred.Promise(); }

    protected:
        virtual void answer(const float* logits, int32_t size) = 0;

        void Execute() override {
            const float* logits = nullptr;
            int32_t size = 0;
            {
                // llama.cpp puts rows in order when the first one is asked for: one thread at a time. Nothing is
                // decoded in this context before its rows are read.
                std::unique_lock<std::mutex> lock(context->sharedSamplerData.mutex);
                if (context->disposed || context->ctx == nullptr) return SetError("the context is disposed of");
                logits = llama_get_logits_ith(context->ctx, index);
                size = llama_vocab_n_tokens(llama_model_get_vocab(llama_get_model(context->ctx)));
            }
            if (logits == nullptr) return SetError("the model has no logits at this token");
            answer(logits, size);
        }
        void OnError(const Napi::Error& error) override { deferred.Reject(error.Value()); }

        Napi::Promise::Deferred deferred;

    private:
        AddonContext* context;
        int32_t index;
};

class ReadWorker : public RowWorker {
    public:
        ReadWorker(const Napi::CallbackInfo& info, AddonContext* context) : RowWorker(info, context) {
            const auto wanted = info[2].As<Napi::Array>();
            for (uint32_t i = 0; i < wanted.Length(); i++) {
                const Napi::Value token = wanted.Get(i);
                tokens.push_back(token.As<Napi::Number>().Int32Value());
            }
        }

    protected:
        void answer(const float* logits, int32_t size) override {
            const float greatest = greatestOf(logits, size);
            best = bestOf(logits, size, greatest);
            total = weightOf(logits, size, greatest, 1);
            tokens.push_back(best);
            for (const int32_t token : tokens)
                values.push_back(token >= 0 && token < size ? logits[token] : std::numeric_limits<double>::quiet_NaN());
        }
        void OnOK() override {
            auto result = Napi::Float64Array::New(Env(), values.size() + 2);
            result[0] = best;
            result[1] = total;
            for (size_t i = 0; i < values.size(); i++) result[i + 2] = values[i];
            deferred.Resolve(result);
        }

    private:
        std::vector<int32_t> tokens;
        std::vector<double> values;
        int32_t best = -1;
        double total = 0;
};

/** The library's context in a JavaScript object; an object of another kind has other memory, so its class is looked at. */
AddonContext* contextIn(const Napi::CallbackInfo& info) {
    if (info[0].IsObject()) {
        const auto object = info[0].As<Napi::Object>();
        const Napi::Value kind = object.Get("constructor");
        if (kind.IsFunction() && kind.As<Napi::Object>().Get("name").ToString().Utf8Value() == "AddonContext")
            return Napi::ObjectWrap<AddonContext>::Unwrap(object);
    }
    throw Napi::TypeError::New(info.Env(), "expected a native context of node-llama-cpp");
}

/** `write(context, rows, company, ends, threads)`: see `NativeReader` in native-reader.ts. */
class WriteWorker : public Napi::AsyncWorker {
    public:
        WriteWorker(const Napi::CallbackInfo& info, AddonContext* context)
            : Napi::AsyncWorker(info.Env(), "SupportCalReplies"),
              deferred(Napi::Promise::Deferred::New(info.Env())),
              context(context),
              writing(replies, company) {
            const auto numbers = info[1].As<Napi::Float64Array>();
            for (size_t at = 0; at + ROW_NUMBERS <= numbers.ElementLength(); at += ROW_NUMBERS)
                replies.push_back(replyOf(numbers.Data() + at));
            const auto third = info[2].As<Napi::Float64Array>();
            if (third.ElementLength() == ROW_NUMBERS) company.push_back(replyOf(third.Data()));
            const auto ends = info[3].As<Napi::Float64Array>();
            for (size_t i = 0; i < ends.ElementLength(); i++) writing.ends.push_back(static_cast<llama_token>(ends[i]));
            writing.threads = info[4].As<Napi::Number>().Int32Value();
            context->Ref();
        }
        ~WriteWorker() override { context->Unref(); }
        Napi::Promise promise() { return deferred.Promise(); }

    protected:
        void Execute() override {
            {
                std::unique_lock<std::mutex> lock(context->sharedSamplerData.mutex);
                if (context->disposed || context->ctx == nullptr) return SetError("the context is disposed of");
                // The library finds out anew whether there are logits once this is done.
                context->sharedSamplerData.gotLogit = false;
            }
            writing.all(context->ctx);
        }
        void OnOK() override {
            auto result = Napi::Array::New(Env(), replies.size());
            for (size_t r = 0; r < replies.size(); r++) {
                auto tokens = Napi::Int32Array::New(Env(), replies[r].written.size());
                for (size_t i = 0; i < replies[r].written.size(); i++) tokens[i] = replies[r].written[i];
                auto reply = Napi::Object::New(Env());
                reply.Set("tokens", tokens);
                reply.Set("ended", Napi::Boolean::New(Env(), replies[r].state == Reply::ENDED));
                if (replies[r].state == Reply::FAILED) reply.Set("error", Napi::String::New(Env(), replies[r].error));
                result.Set(static_cast<uint32_t>(r), reply);
            }
            deferred.Resolve(result);
        }
        void OnError(const Napi::Error& error) override { deferred.Reject(error.Value()); }

    private:
        Napi::Promise::Deferred deferred;
        AddonContext* context;
        std::vector<Reply> replies;
        std::vector<Reply> company;
        Writing writing;
};

template <typename Worker> Napi::Value start(const Napi::CallbackInfo& info) {
    auto* worker = new Worker(info, contextIn(info));
    worker->Queue();
    return worker->promise();
}

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
    exports.Set("write", Napi::Function::New(env, start<WriteWorker>));
    exports.Set("uniform", Napi::Function::New(env, uniform));
    exports.Set("answerOf", Napi::Function::New(env, answerOf));
    exports.Set("repeat", Napi::Function::New(env, repeat));
    return exports;
}

}  // namespace

NODE_API_MODULE(supportcal_reader, init)
