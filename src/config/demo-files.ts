/** The models that `supportcal demo` takes: one target, its own base and the references of its bucket. */
export const DEMO_MODELS = [
  'tern-dpo',
  'tern-base',
  'plover-base',
  'heron-base',
  'curlew-base',
  'dunlin-base',
] as const;

const MODELS = `# The project that \`supportcal demo\` wrote. Run \`supportcal pipeline\` in this folder to go through it again.
models:
  # A base is a pretrained model. References of a target are the other bases of its bucket.
${DEMO_MODELS.filter((id) => id.endsWith('-base'))
  .map((id) => `  - { id: ${id}, role: base, bucket: demo, file: models/${id}.gguf }`)
  .join('\n')}
  # A post-trained model names the base that it was made from.
  - { id: tern-dpo, role: post-trained, base: tern-base, bucket: demo, file: models/tern-dpo.gguf }

suites:
  demo:
    title: A tiny post-trained model on questions of an invented encyclopedia
    targets: [tern-dpo]
    datasets: [demo-facts]
    combinationSizes: [1, 2]
    methods: [vanilla, cape, elicitation, daca, full-kl, relative-only, supportcal, auto, oracle-ts]
    seeds: [1, 2, 3, 4, 5]
    calibrationFraction: 0.3
`;

/** Rows of the data set that the project keeps out of it, as new questions. */
const NEW_QUESTIONS = 20;

/**
 * The text files of the demo project by their path in its folder. The last rows of the shipped data set are not in
 * that of the project: they are the new questions, without their answers.
 *
 * @param yaml the shipped data set, and `rows` its rows as JSON Lines
 */
export function demoFiles(yaml: string, rows: string): ReadonlyMap<string, string> {
  const lines = rows.split('\n').filter((line) => line !== '');
  const kept = lines.slice(0, -NEW_QUESTIONS);
  const asked = lines.slice(-NEW_QUESTIONS).map((line) => {
    const { id, question, options } = JSON.parse(line);
    return JSON.stringify({ id, question, options });
  });
  return new Map([
    ['models.yaml', MODELS],
    ['datasets/demo-facts.yaml', yaml.replace(/^# yaml-language-server:.*\n/, '')],
    ['datasets/demo-facts.jsonl', `${kept.join('\n')}\n`],
    ['questions.jsonl', `${asked.join('\n')}\n`],
  ]);
}
