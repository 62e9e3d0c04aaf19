/*
 * Reads a row of logits where llama.cpp left it: the sum of exponentials over the whole vocabulary in float64, the
 * logits of the tokens that are asked for, the token of the greatest logit, or a token drawn at a temperature.
 *
 * node-llama-cpp copies a row into 12 bytes a token for each such question, copies it once more, and adds up in float32:
 * 1.4 ms of a core with 152k tokens, and 2.3 ms for a token that is drawn. This goes over the row twice, in 0.3 ms.
 *
 * `supportcal setup-cpu` and `setup-gpu` compile it beside the build of llama.cpp that they make, with the headers of
 * the package and the compiler of that build, so that it knows the package's objects by the same layout.
 */
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>
#include <vector>

#include "AddonContext.h"

namespace {

/** Sums and maxima are kept in as many lanes, which the compiler puts into the processor's vectors. */
constexpr int LANES = 16;
/** Tokens whose weights are added up before a draw looks which of them it falls into. */
constexpr int BLOCK = 1024;

/**
 * exp(x) of x <= 0, to 1e-15 of its value; 0 below the least normal number, NaN of NaN. No branch, so that it is done in
 * vectors.
 */
inline double expOf(double x) {
    const double within = x < -708.0 ? -708.0 : x;
    // The addend moves the whole number nearest to x / ln 2 into the lowest bits.
    const double shifted = within * 1.4426950408889634 + 6755399441055744.0;
    const double whole = shifted - 6755399441055744.0;
    const double rest = (within - whole * 6.93147180369123816490e-01) - whole * 1.90821492927058770002e-10;
    double power = 1.0 / 479001600.0;
    power = power * rest + 1.0 / 39916800.0;
    power = power * rest + 1.0 / 3628800.0;
    power = power * rest + 1.0 / 362880.0;
    power = power * rest + 1.0 / 40320.0;
    power = power * rest + 1.0 / 5040.0;
    power = power * rest + 1.0 / 720.0;
    power = power * rest + 1.0 / 120.0;
    power = power * rest + 1.0 / 24.0;
    power = power * rest + 1.0 / 6.0;
    power = power * rest + 0.5;
    power = power * rest + 1.0;
    power = power * rest + 1.0;
    int64_t bits;
    std::memcpy(&bits, &shifted, sizeof bits);
    const int64_t exponent = (bits + 1023) << 52;
    double scale;
    std::memcpy(&scale, &exponent, sizeof scale);
    return x < -708.0 ? 0.0 : power * scale;
}

/** The greatest of the logits; a NaN among them is never it. */
float greatestOf(const float* logits, int32_t size) {
    constexpr float LEAST = -std::numeric_limits<float>::infinity();
    float lanes[LANES];
    for (float& lane : lanes) lane = LEAST;
    const int32_t whole = size - size % LANES;
    for (int32_t i = 0; i < whole; i += LANES)
        for (int l = 0; l < LANES; l++) lanes[l] = logits[i + l] > lanes[l] ? logits[i + l] : lanes[l];
    float greatest = LEAST;
    for (int32_t i = whole; i < size; i++) greatest = logits[i] > greatest ? logits[i] : greatest;
    for (const float lane : lanes) greatest = lane > greatest ? lane : greatest;
    return greatest;
}

/** Sum of exp((logit - greatest) / temperature); NaN where a logit is NaN or the greatest is infinite. */
double weightOf(const float* logits, int32_t size, double greatest, double inverse) {
    double lanes[LANES] = {};
    const int32_t whole = size - size % LANES;
    for (int32_t i = 0; i < whole; i += LANES)
        for (int l = 0; l < LANES; l++) lanes[l] += expOf((logits[i + l] - greatest) * inverse);
    double sum = 0;
    for (const double lane : lanes) sum += lane;
    for (int32_t i = whole; i < size; i++) sum += expOf((logits[i] - greatest) * inverse);
    return sum;
}

/** The first token of the greatest logit; -1 where none is a number. */
int32_t bestOf(const float* logits, int32_t size, float greatest) {
    for (int32_t i = 0; i < size; i++)
        if (logits[i] == greatest) return i;
    return -1;
}

/**
 * The token that `uniform`, in [0, 1), falls on when all stand in their order, each as wide as its weight; -1 where the
 * weights are no numbers. Temperature 0: the first of the greatest logit.
 */
int32_t drawnFrom(const float* logits, int32_t size, double temperature, double uniform) {
    const float greatest = greatestOf(logits, size);
    if (temperature <= 0) return bestOf(logits, size, greatest);
    const double inverse = 1 / temperature;
    std::vector<double> blocks;
    double total = 0;
    for (int32_t from = 0; from < size; from += BLOCK) {
        blocks.push_back(weightOf(logits + from, std::min(BLOCK, size - from), greatest, inverse));
        total += blocks.back();
    }
    if (!(total > 0) || !std::isfinite(total)) return -1;
    double left = uniform * total;
    int32_t last = -1;
    for (size_t block = 0; block < blocks.size(); block++) {
        // Rounding may leave something after the last block: then it is the last token of any weight.
        if (left >= blocks[block] && block + 1 < blocks.size()) {
            left -= blocks[block];
            continue;
        }
        const int32_t from = static_cast<int32_t>(block) * BLOCK;
        for (int32_t i = from; i < std::min(from + BLOCK, size); i++) {
            const double weight = expOf((logits[i] - greatest) * inverse);
            if (weight > 0) last = i;
            if (left < weight) return i;
            left -= weight;
        }
    }
    return last >= 0 ? last : bestOf(logits, size, greatest);
}

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

class DrawWorker : public RowWorker {
    public:
        DrawWorker(const Napi::CallbackInfo& info, AddonContext* context)
            : RowWorker(info, context),
              temperature(info[2].As<Napi::Number>().DoubleValue()),
              uniform(info[3].As<Napi::Number>().DoubleValue()) {}

    protected:
        void answer(const float* logits, int32_t size) override { token = drawnFrom(logits, size, temperature, uniform); }
        void OnOK() override { deferred.Resolve(Napi::Number::New(Env(), token)); }

    private:
        double temperature;
        double uniform;
        int32_t token = -1;
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

/** Milliseconds of one reading (temperature below 0) or draw, the mean of `times` of them on a row that JavaScript made. */
Napi::Value repeat(const Napi::CallbackInfo& info) {
    const auto row = info[0].As<Napi::Float32Array>();
    const auto size = static_cast<int32_t>(row.ElementLength());
    const double temperature = info[1].As<Napi::Number>().DoubleValue();
    const double uniform = info[2].As<Napi::Number>().DoubleValue();
    const int32_t times = info[3].As<Napi::Number>().Int32Value();
    volatile double kept = 0;
    const auto started = std::chrono::steady_clock::now();
    for (int32_t i = 0; i < times; i++) {
        const float greatest = greatestOf(row.Data(), size);
        kept = temperature < 0 ? bestOf(row.Data(), size, greatest) + weightOf(row.Data(), size, greatest, 1)
                               : drawnFrom(row.Data(), size, temperature, uniform);
    }
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - started;
    (void) kept;
    return Napi::Number::New(info.Env(), taken.count() / times);
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
    exports.Set("read", Napi::Function::New(env, start<ReadWorker>));
    exports.Set("draw", Napi::Function::New(env, start<DrawWorker>));
    exports.Set("answerOf", Napi::Function::New(env, answerOf));
    exports.Set("repeat", Napi::Function::New(env, repeat));
    return exports;
}

}  // namespace

NODE_API_MODULE(supportcal_reader, init)
