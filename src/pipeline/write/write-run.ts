import path from 'node:path';
import { shownPlace } from '../../config/source-kind.js';
import { refuseLinks } from '../../files/refuse-links.js';
import { removeAbandoned } from '../../files/remove-abandoned.js';
import { sha256OfFile } from '../../files/sha256-of-file.js';
import { writeFilesTogether } from '../../files/write-file-atomic.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { Answers } from '../../results/examples/answers-schema.js';
import type { Examples } from '../../results/examples/examples-schema.js';
import { manifestSchema, type RunManifest } from '../../results/manifest-schema.js';
import { documentHash } from '../../results/one-run.js';
import { stringifyResults } from '../../results/parse-results.js';
import type { Results } from '../../results/results-schema.js';
import { deviceMemory } from '../../scoring/device/remembered-device.js';
import { deviceReason } from '../../scoring/device/resolve-device.js';
import { type DatasetSplits, splitsJson } from '../calibrate/splits-json.js';
import { speedLookup } from '../score/model-speeds.js';
import { allEntries, type ModelPlan } from '../score/score-plan.js';
import type { Workspace } from '../workspace/workspace.js';
import { methodFilesOf } from './build-results.js';
import type { RunRecord } from './run-record.js';

export interface RunOutput {
  readonly results: Results;
  readonly diagnostics: Diagnostics;
  readonly examples: Examples;
  readonly answers: Answers;
  readonly splits: readonly DatasetSplits[];
  readonly workspace: Workspace;
  readonly plans: readonly ModelPlan[];
  readonly record: () => RunRecord;
}

/**
 * Writes results.json, splits.json, diagnostics.json, examples.json, answers.json and manifest.json, which names the
 * hashes of the others, as one unit; `refuseMixture` tells what a kill leaves between two of their renames.
 *
 * @throws SupportCalError write-failed; bad-input: one of them is a link
 */
export async function writeRun(folder: string, output: RunOutput): Promise<{ files: string[]; manifest: RunManifest }> {
  await removeAbandoned(folder);
  const documents: [string, string | Uint8Array][] = [
    ['splits.json', splitsJson(output.splits)],
    ['diagnostics.json', stringifyResults(output.diagnostics)],
    ['examples.json', `${JSON.stringify(output.examples)}\n`],
    ['answers.json', `${JSON.stringify(output.answers)}\n`],
    ['results.json', stringifyResults(output.results)],
  ];
  const hashes = Object.fromEntries(documents.map(([name, text]) => [name, documentHash(text)]));
  const manifest = { ...(await manifestOf(output)), documents: hashes };
  const files: typeof documents = [['manifest.json', `${JSON.stringify(manifest, null, 2)}\n`], ...documents];
  const names = files.map(([name]) => name);
  await refuseLinks(folder, names);
  await writeFilesTogether(folder, files);
  return { files: names.map((name) => path.join(folder, name)), manifest: manifestSchema.parse(manifest) };
}

/** The hash of a file as it was read; it may have been edited since. */
async function shaOf({ file, sha256 }: { readonly file: string; readonly sha256?: string }): Promise<string> {
  return sha256 ?? sha256OfFile(file);
}

/** Hashes of every input, so that anyone can tell whether two runs saw the same files. */
async function manifestOf({ results, workspace, plans, record }: RunOutput) {
  const speedOf = await speedLookup(workspace.options.cache);
  return {
    schemaVersion: 1,
    createdAt: results.createdAt,
    tool: results.tool,
    command: workspace.options.command ?? null,
    system: { node: process.version, platform: `${process.platform} ${process.arch}` },
    run: record(),
    backendReason: deviceReason(workspace.options.gpu, deviceMemory(workspace.options.cache)),
    methodFiles: methodFilesOf(workspace),
    modelsFile: { file: workspace.models.file, sha256: await shaOf(workspace.models) },
    datasets: await Promise.all(
      workspace.datasets.map(async ({ spec, content }) => ({
        dataset: spec.id,
        file: spec.file,
        sha256: await shaOf(spec),
        rows: content?.dataset.examples.length ?? null,
        contentHash: content?.dataset.hash ?? null,
        rules: content?.dataset.rules ?? [],
        origin: content?.dataset.origin ?? [],
        fewShot: (content?.dataset.shots ?? []).map(({ id, contentHash }) => ({ id, contentHash })),
      })),
    ),
    models: plans.map((plan) => ({
      model: plan.model.id,
      file: shownPlace(plan.model),
      sha256: plan.found?.sha256 ?? null,
      origin: plan.found?.origin ?? null,
      lora: (plan.found?.lora ?? []).map((adapter) => ({
        file: path.basename(adapter.path),
        sha256: adapter.sha256,
        scale: adapter.scale,
      })),
      speed: speedOf(plan, backendOfScores(plan)),
      scores: allEntries(plan).map(({ dataset, way: prompts, entry }) =>
        entry.kind === 'ready'
          ? {
              dataset,
              prompts,
              entry: entry.manifest.name,
              checksum: entry.manifest.checksum,
              key: entry.manifest.key,
              facts: entry.manifest.facts,
            }
          : { dataset, prompts, entry: null },
      ),
    })),
  };
}

function backendOfScores(plan: ModelPlan): string | undefined {
  const facts = allEntries(plan).flatMap(({ entry }) => (entry.kind === 'ready' ? [entry.manifest.facts] : []));
  return facts.map((each) => (each as { backend?: string } | null)?.backend).find((backend) => backend !== undefined);
}
