/** `temperatureReason` of results.json in words; every table and message says it alike. An unknown reason stays as it is. */
export function noTemperatureText(reason: string): string {
  return TEXTS[reason] ?? reason;
}

const TEXTS: Readonly<Record<string, string>> = {
  'no-examples': 'no example to fit on',
  'constant-logits': 'all options of every example have the same logit, so that no temperature changes anything',
  separable: 'the top option of every example is the one that the fit aims at, so that its optimum is temperature 0',
  'no-labels': 'no label to fit on',
  'no-references': 'no reference to ask',
  'out-of-reach': 'no temperature has so high a mean confidence as the accuracy that the fit aims at',
};
