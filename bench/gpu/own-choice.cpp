/*
 * Makes a build with GGML_CUDA_FORCE_CUBLAS multiply quantised matrices by llama.cpp's own kernels, as the prebuilt binary
 * does: the option decides this one function, which the library calls through its table of symbols, and a preloaded library
 * comes first. What it answers is what llama.cpp v0.5.0 (ggml-cuda/mmq.cu) does on cards from compute capability 7.5 on.
 *
 *   g++ -O2 -shared -fPIC own-choice.cpp -o own-choice.so && LD_PRELOAD=own-choice.so llama-bench ...
 */
#include <cstdint>

enum ggml_type { F32 = 0, F16 = 1, I8 = 24, I64 = 27, F64 = 28, BF16 = 30, TQ1_0 = 34, TQ2_0 = 35 };

bool ggml_cuda_should_use_mmq(enum ggml_type type, int, int64_t, int64_t) {
  const bool plain = type == F32 || type == F16 || type == BF16 || (type >= I8 && type <= F64);
  const bool unsupported = type == TQ1_0 || type == TQ2_0 || type == 29 /* IQ1_M */;
  return !plain && !unsupported;
}
