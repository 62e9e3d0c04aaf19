/* Work on a context of the library's on a thread of libuv's pool, and a promise of what comes of it. */
#pragma once

#include <cstdint>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "AddonContext.h"

namespace {

/** The library's context stays while there is work on it. What is thrown rejects the promise. */
class ContextWorker : public Napi::AsyncWorker {
    public:
        ContextWorker(const Napi::CallbackInfo& info, AddonContext* context, const char* name)
            : Napi::AsyncWorker(info.Env(), name), context(context), deferred(Napi::Promise::Deferred::New(info.Env())) {
            context->Ref();
        }
        ~ContextWorker() override { context->Unref(); }
        Napi::Promise promise() { return deferred.Promise(); }

    protected:
        /** On a thread of the pool, without a word of JavaScript. */
        virtual void work() = 0;
        /** On the main thread, when the work is done. */
        virtual Napi::Value result() = 0;

        /** Before tokens are decoded here: the library finds out anew whether there are logits. */
        void beginPass() {
            const std::lock_guard<std::mutex> lock(context->sharedSamplerData.mutex);
            context->sharedSamplerData.gotLogit = false;
        }
        void Execute() override {
            try {
                {
                    const std::lock_guard<std::mutex> lock(context->sharedSamplerData.mutex);
                    if (context->disposed || context->ctx == nullptr) return SetError("the context is disposed of");
                }
                work();
            } catch (const std::exception& error) {
                SetError(error.what());
            }
        }
        void OnOK() override { deferred.Resolve(result()); }
        void OnError(const Napi::Error& error) override { deferred.Reject(error.Value()); }

        AddonContext* context;

    private:
        Napi::Promise::Deferred deferred;
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

std::vector<int32_t> tokensIn(const Napi::Value& list) {
    const auto numbers = list.As<Napi::Array>();
    std::vector<int32_t> tokens(numbers.Length());
    for (uint32_t i = 0; i < tokens.size(); i++) tokens[i] = Napi::Value(numbers.Get(i)).As<Napi::Number>().Int32Value();
    return tokens;
}

Napi::Value numbersIn(Napi::Env env, const std::vector<double>& numbers) {
    auto list = Napi::Float64Array::New(env, numbers.size());
    for (size_t i = 0; i < numbers.size(); i++) list[i] = numbers[i];
    return list;
}

}  // namespace
