/* Asks as llama.cpp does, and says before as our own reader does whether the thread draws. */
#include <cstdint>

#include <napi.h>

#include "ggml.h"

bool ggml_cuda_should_use_mmq(ggml_type type, int capability, int64_t tokens, int64_t experts);
extern "C" __attribute__((weak)) void supportcal_draws(bool draws);

static Napi::Value ask(const Napi::CallbackInfo& info) {
    const auto number = [&](size_t i) { return info[i].As<Napi::Number>().Int32Value(); };
    if (supportcal_draws != nullptr) supportcal_draws(info[4].As<Napi::Boolean>());
    const bool own = ggml_cuda_should_use_mmq(static_cast<ggml_type>(number(0)), number(1), number(2), number(3));
    if (supportcal_draws != nullptr) supportcal_draws(false);
    return Napi::Boolean::New(info.Env(), own);
}

static Napi::Object init(Napi::Env env, Napi::Object exports) {
    exports.Set("ask", Napi::Function::New(env, ask));
    return exports;
}

NODE_API_MODULE(asker, init)
