/*
 * Decides who multiplies a quantised matrix on a card in a build with GGML_CUDA_FORCE_CUBLAS: cuBLAS, which is fastest for
 * the many tokens of a batch of prompts and turns the matrix into 16 bits first, or llama.cpp's own kernels, which read it
 * as it lies. Those are right for the matrices of a mixture of experts, where cuBLAS makes each layer wait for the host,
 * and for the few tokens of a pass that draws, where turning the matrix into 16 bits takes longer than multiplying it.
 *
 * llama.cpp asks one function. The build option makes it answer "cuBLAS" always; the function of the same name here comes
 * first, since the process loads this file, for all to see, before it loads the library (load-products.ts).
 *
 * `supportcal setup-gpu` compiles it beside the build, with the headers of the sources that the build was made from.
 */
#include <atomic>
#include <cstdint>

#include <napi.h>

#include "ggml.h"

#define SHOWN __attribute__((visibility("default")))

namespace {

/** llama.cpp's number for compute capability 7.5, from which on its own kernels have tensor cores; other makers' cards begin far above. */
constexpr int TURING = 750;
constexpr int OTHER_MAKERS = 0x1000000;
/** Tokens of a drawing pass up to which llama.cpp's own kernels are faster (bench/gpu/README.md). */
constexpr int64_t FEW = 96;

thread_local bool isDrawing = false;
std::atomic<uint32_t> answers{0};

/** Whether llama.cpp has a kernel of its own for a type: the list of v0.5.0 (ggml-cuda/mmq.cu). */
bool hasKernel(ggml_type type) {
    switch (type) {
        case GGML_TYPE_Q1_0:
        case GGML_TYPE_Q2_0:
        case GGML_TYPE_Q4_0:
        case GGML_TYPE_Q4_1:
        case GGML_TYPE_Q5_0:
        case GGML_TYPE_Q5_1:
        case GGML_TYPE_Q8_0:
        case GGML_TYPE_Q2_K:
        case GGML_TYPE_Q3_K:
        case GGML_TYPE_Q4_K:
        case GGML_TYPE_Q5_K:
        case GGML_TYPE_Q6_K:
        case GGML_TYPE_IQ1_S:
        case GGML_TYPE_IQ2_XXS:
        case GGML_TYPE_IQ2_XS:
        case GGML_TYPE_IQ2_S:
        case GGML_TYPE_IQ3_XXS:
        case GGML_TYPE_IQ3_S:
        case GGML_TYPE_IQ4_XS:
        case GGML_TYPE_IQ4_NL:
        case GGML_TYPE_MXFP4:
        case GGML_TYPE_NVFP4:
            return true;
        default:
            return false;
    }
}

bool isOwn(ggml_type type, int capability, int64_t tokens, int64_t experts) {
    if (!hasKernel(type) || capability < TURING || capability >= OTHER_MAKERS) return false;
    return experts > 0 || (isDrawing && tokens <= FEW);
}

}  // namespace

/** What llama.cpp asks for each quantised matrix: true for its own kernels. */
SHOWN bool ggml_cuda_should_use_mmq(ggml_type type, int capability, int64_t tokens, int64_t experts) {
    answers++;
    return isOwn(type, capability, tokens, experts);
}

/** Our own reader says so around the passes that draw, in whose thread llama.cpp asks. */
extern "C" SHOWN void supportcal_draws(bool draws) {
    isDrawing = draws;
}

namespace {

/** How often llama.cpp has asked in this process: never means that it asks its own function. */
Napi::Value asked(const Napi::CallbackInfo& info) {
    return Napi::Number::New(info.Env(), answers);
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
    exports.Set("asked", Napi::Function::New(env, asked));
    return exports;
}

}  // namespace

NODE_API_MODULE(supportcal_products, init)
