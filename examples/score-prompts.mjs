// Option logits of a model file for prompts of one's own: node score-prompts.mjs MODEL.gguf [CACHE_FOLDER]
import { applyTemperature, createScorer } from 'supportcal';

const [model, cache = 'cache'] = process.argv.slice(2);
const scorer = await createScorer({ model, cache, gpu: 'off' });
const options = ['A', 'B', 'C', 'D'];
const prompt = (question, texts) =>
  `Question: ${question}\n${texts.map((text, k) => `${options[k]}. ${text}`).join('\n')}\nAnswer:`;

const rows = await scorer.score([
  { prompt: prompt('What covers the drotkfin?', ['spots', 'wool', 'slime', 'fur']), options },
  { prompt: prompt('What do people use orilethorn for?', ['oil', 'soap', 'dye', 'tea']), options },
]);
for (const row of rows) {
  if (row.status === 'failed') console.log(row.reason);
  else {
    // The model as it is; the inverse temperature of an artefact in place of 1 calibrates it.
    const { prediction, confidence } = applyTemperature(row.logits, 1);
    console.log(
      `${options[prediction]}, confidence ${confidence.toFixed(2)}, option mass ${row.optionMass.toFixed(2)}`,
    );
  }
}
await scorer.close();
