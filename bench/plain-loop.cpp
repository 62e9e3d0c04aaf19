// One forward pass per question, as a person would write it on llama.cpp: memory cleared, one decode, the logits of the last
// token read, their sum taken in double. What scoring is measured against (bench/real-files.ts), on the libraries that
// node-llama-cpp brings.
//
//   LIBS=node_modules/@node-llama-cpp/linux-x64/bins/linux-x64
//   (after `supportcal setup-cpu`: node_modules/node-llama-cpp/llama/localBuilds/*/bin, where libllama's name is longer)
//   tar/git: node_modules/node-llama-cpp/llama/gitRelease.bundle has the headers (bench/peers.md)
//   g++ -O2 -std=c++17 -I LLAMA/include -I LLAMA/ggml/include -DLIBDIR="\"$PWD/$LIBS\"" bench/plain-loop.cpp \
//     -L $LIBS -l:libllama.v0.5.0.so -l:libggml.v0.5.0.so -l:libggml-base.so -Wl,-rpath,$PWD/$LIBS -o plain-loop
//
//   plain-loop MODEL.gguf PROMPTS THREADS      PROMPTS: a line of token ids for each prompt
//
// Prints {"seconds": of decoding and reading, "cpu": processor seconds of the same, "loadSeconds", "loadCpu"}.
#include "ggml-backend.h"
#include "llama.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <time.h>
#include <vector>

static double wall() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
static double cpu() { timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }

static std::vector<std::vector<llama_token>> prompts_of(const char *file) {
  std::vector<std::vector<llama_token>> prompts;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream ids(line);
    std::vector<llama_token> prompt;
    for (llama_token id; ids >> id;) prompt.push_back(id);
    if (!prompt.empty()) prompts.push_back(prompt);
  }
  return prompts;
}

int main(int, char **args) {
  const double wall0 = wall();
  llama_log_set([](ggml_log_level level, const char *text, void *) { if (level >= GGML_LOG_LEVEL_ERROR) fputs(text, stderr); }, nullptr);
  ggml_backend_load_all_from_path(LIBDIR);
  const auto prompts = prompts_of(args[2]);
  size_t longest = 0;
  for (const auto &prompt : prompts) longest = std::max(longest, prompt.size());
  auto *model = llama_model_load_from_file(args[1], llama_model_default_params());
  if (model == nullptr) return 1;
  auto wanted = llama_context_default_params();
  wanted.n_ctx = (longest + 255) / 256 * 256;
  wanted.n_batch = wanted.n_ubatch = std::max<size_t>(512, longest);
  wanted.n_threads = wanted.n_threads_batch = atoi(args[3]);
  wanted.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;
  wanted.swa_full = true;
  wanted.no_perf = true;
  auto *context = llama_init_from_model(model, wanted);
  const int words = llama_vocab_n_tokens(llama_model_get_vocab(model));
  const double wall1 = wall(), cpu1 = cpu();
  double sums = 0;
  for (const auto &prompt : prompts) {
    llama_memory_clear(llama_get_memory(context), false);
    if (llama_decode(context, llama_batch_get_one(const_cast<llama_token *>(prompt.data()), prompt.size()))) return 1;
    const float *logits = llama_get_logits_ith(context, -1);
    const float most = *std::max_element(logits, logits + words);
    double sum = 0;
    for (int i = 0; i < words; i++) sum += expf(logits[i] - most);
    sums += most + log(sum);
  }
  const double wall2 = wall(), cpu2 = cpu();
  printf("{\"seconds\": %.4f, \"cpu\": %.4f, \"loadSeconds\": %.4f, \"loadCpu\": %.4f, \"logZ\": %.4f}\n", wall2 - wall1,
         cpu2 - cpu1, wall1 - wall0, cpu1, sums / prompts.size());
}
