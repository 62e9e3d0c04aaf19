/**
 * Mutants that no test can notice, by the reason why: what they compute is the same. Each is written as
 * `file: text => replacement`, as the nightly command prints it. They are left out of the share that is noticed.
 */
export const ALIKE: Readonly<Record<string, readonly string[]>> = {
  'A faster way to the same result is not taken, or taken where the slower one is as good.': [
    'numeric/fft.ts: known !== undefined => false',
    'numeric/ragged-rows.ts: a.offsets === b.offsets => false',
    'calibration/fit/solve-slope.ts: inside && Math.abs(step) < 1e-6 => true',
    'calibration/fit/solve-slope.ts: Math.abs(step) <= WIDEST_STEP => true',
    'calibration/fit/scaled-weights.ts: total < UNDERFLOW || !(total < OVERFLOW) => true',
    'calibration/fit/expected-gain.ts: target === ownBase => false',
    'metrics/smooth-ece.ts: guesses++ => guesses--',
    'metrics/smooth-ece.ts: last !== null => false',
    'numeric/sort-confidences.ts: end - start > INSERTION => true',
    'numeric/sort-confidences.ts: end - start > INSERTION => end - start >= INSERTION',
    'numeric/sort-confidences.ts: end - start => end + start',
    'numeric/string-order.ts: true => false',
    'numeric/string-order.ts: longest > LONGEST => true',
    'numeric/string-order.ts: code > 254 => true',
    'numeric/string-order.ts: strings.length < LEAST_COUNT => false',
    'numeric/string-order.ts: \'\' => "Stryker was here!"',
    'engine/encode/encode-reply.ts: !forms.has(key) => true',
  ],
  'One step more of a loop reads or writes past the end of a typed array, which changes nothing.': [
    'numeric/fft.ts: i < order.length => i <= order.length',
    'numeric/fft.ts: k < size => k <= size',
    'numeric/softmax.ts: i < values.length => i <= values.length',
    'metrics/bins/ranked-confidences.ts: r < right.length => r <= right.length',
    'metrics/bins/ranked-confidences.ts: w < wrong.length => true',
    'numeric/sort-confidences.ts: b < BUCKETS => b <= BUCKETS',
    'numeric/sort-confidences.ts: b < starts.length => b <= starts.length',
    'engine/encode/text-tokens.ts: length < a.length && length < b.length => length < a.length || length < b.length',
  ],
  'Both sides of the border give the same number, or a later check catches the same case.': [
    'metrics/bins/binning.ts: 1 - Number.EPSILON => 1 + Number.EPSILON',
    'metrics/bins/binning.ts: bin > 0 => bin <= 0',
    'numeric/folded-normal.ts: x < 3 => x <= 3',
    'calibration/fit/teacher-alignment.ts: -gap > width => -gap >= width',
    'calibration/references/select-references.ts: a.id < b.id => a.id <= b.id',
    'calibration/check-logits.ts: target === undefined => false',
    'calibration/curves/weight-margin.ts: ordered[first]?.value => ordered[first].value',
    'calibration/open-split.ts: [] => ["Stryker was here"]',
    'numeric/log-sum-exp.ts: -1 => +1',
    'numeric/mean.ts: center === null => false',
    'numeric/string-order.ts: a < b => a <= b',
  ],
  'A name that only has to differ from others, an encoding that is the default.': [
    'numeric/ragged-rows.ts: \'\' => "Stryker was here!"',
    'files/file-hash-cached.ts: \'utf8\' => ""',
  ],
};
