/**
 * `temperatureReason` of results.json in words; every table and message says it alike. An unknown reason stays as it
 * is.
 */
export function noTemperatureText(reason: string): string {
  return TEXTS[reason] ?? reason;
}

const TEXTS: Readonly<Record<string, string>> = {
  'no-examples': 'no example to fit on',
  'constant-logits': 'the logits of every example are equal',
  separable: 'its optimum is temperature 0: the top option of every example is the one it aims at',
  'no-labels': 'no label to fit on',
  'no-references': 'no reference to ask',
  'out-of-reach': 'no temperature has so high a mean confidence',
};
