// A temperature fitted without labels to logits in memory, applied, and measured.
import { applyTemperature, ece, fitArtefact, reliability } from 'supportcal/core';

// Option logits of 400 questions with 4 options: the model is as right as its base, and far too sure of itself.
const question = (n) => [0, 1, 2, 3].map((k) => Math.sin(12.9898 * n + 78.233 * k) * 2);
const ownBase = Array.from({ length: 400 }, (_, n) => question(n));
const other = ownBase.map((row, n) => row.map((value, k) => value + 0.5 * Math.cos(7 * n + k)));
const target = ownBase.map((row) => row.map((value) => 6 * value));

const artefact = fitArtefact(target, ownBase, { other });
console.log(
  `${artefact.method}: temperature ${artefact.temperature.toFixed(2)} from ${artefact.rows} rows without labels`,
);

const { prediction, confidence, rawConfidence } = applyTemperature(target[0], artefact);
console.log(
  `question 1: option ${prediction}, confidence ${confidence.toFixed(2)} where the model says ${rawConfidence.toFixed(2)}`,
);

// With labels, here drawn as often as the base says, it can be seen what that is worth.
const label = (row, n) => {
  let left = Math.abs((Math.sin(n * 91.17) * 43758.5453) % 1);
  const { probabilities } = applyTemperature(row, 1);
  return probabilities.findIndex((share) => {
    left -= share;
    return left < 0;
  });
};
const answers = (beta) => target.map((row) => applyTemperature(row, beta));
const correct = answers(1).map((answer, n) => answer.prediction === label(ownBase[n], n));
const eceOf = (beta) =>
  ece(
    answers(beta).map((answer) => answer.confidence),
    correct,
  );
console.log(`ECE ${eceOf(1).toFixed(3)} before, ${eceOf(artefact.inverseTemperature).toFixed(3)} after`);
for (const bin of reliability(
  answers(artefact.inverseTemperature).map((answer) => answer.confidence),
  correct,
))
  if (bin.count > 0)
    console.log(`  ${bin.lower.toFixed(1)}: ${bin.count} answers, ${(100 * bin.accuracy).toFixed(0)} % right`);
