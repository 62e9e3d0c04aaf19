/* Stands in for llama.cpp's library of CUDA kernels in a build with GGML_CUDA_FORCE_CUBLAS: the function that it asks. */
#include <cstdint>

#include "ggml.h"

bool ggml_cuda_should_use_mmq(ggml_type, int, int64_t, int64_t) {
    return false;
}
