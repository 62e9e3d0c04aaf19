/* What is computed of a row of logits; see reader.cpp. */
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

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
    uint64_t bits;
    std::memcpy(&bits, &shifted, sizeof bits);
    const uint64_t exponent = (bits + 1023) << 52;
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
 * The token of the greatest logit, the sum of the exponentials of all less that one, then the logits of `tokens` and of
 * the greatest; NaN for a token that the vocabulary has not.
 *
 * @throws std::runtime_error where there are no logits
 */
std::vector<double> readingOf(const float* logits, int32_t size, const std::vector<int32_t>& tokens) {
    if (logits == nullptr) throw std::runtime_error("the model has no logits at this token");
    const float greatest = greatestOf(logits, size);
    const int32_t best = bestOf(logits, size, greatest);
    std::vector<double> reading = {static_cast<double>(best), weightOf(logits, size, greatest, 1)};
    const auto add = [&](int32_t token) {
        reading.push_back(token >= 0 && token < size ? logits[token] : std::numeric_limits<double>::quiet_NaN());
    };
    for (const int32_t token : tokens) add(token);
    add(best);
    return reading;
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

}  // namespace
