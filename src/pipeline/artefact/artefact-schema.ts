import { z } from 'zod';
import { thresholdPoint } from '../../results/threshold-schema.js';
import { askingSchema } from './asking-schema.js';
import { driftSchema } from './drift-schema.js';

const numberOrNull = z.number().nullable();

/** A model by name and by content. */
const modelReference = z.object({
  id: z.string(),
  /**
   * Hash of the GGUF file; for a split model the content hash of the list of its parts' sha256; null: its scores were
   * imported.
   */
  sha256: z.string().nullable(),
  /** sha256 of the file that its scores were imported from; null: they were scored. */
  importedFrom: z.string().nullable(),
});

/** A temperature stands beside the kind `finite` alone. */
const temperature = {
  temperatureKind: z.enum(['finite', 'infinite', 'none']),
  temperature: z.number().positive().nullable(),
};

const range = z.object({ low: z.number(), median: z.number(), high: z.number() });

/**
 * Mean over the splits of the suite; `method` is what the artefact holds, `vanilla` the model as it is. Percentage
 * points.
 */
const ece = z.object({ meanPp: numberOrNull, sePp: numberOrNull, lowPp: numberOrNull, highPp: numberOrNull });

/**
 * One temperature for one model on one kind of question, with all that is needed to use it and to tell whether it fits:
 * what `supportcal export` writes and `supportcal predict` reads. Fields are added, never renamed.
 */
export const artefactSchema = z
  .object({
    schemaVersion: z.literal(1),
    kind: z.literal('supportcal-calibration'),
    createdAt: z.string(),
    target: modelReference.extend({
      file: z.string().nullable(),
      lora: z.array(z.object({ sha256: z.string(), scale: z.number() })),
    }),
    /** null in `temperature`: tau -> infinity, where every option has the confidence 1/K. */
    temperatureKind: z.enum(['finite', 'infinite']),
    temperature: temperature.temperature,
    /** 1 / temperature; 0 where that is infinite. */
    inverseTemperature: z.number().nonnegative(),
    /** How to use it, in words. */
    use: z.string(),
    method: z.object({
      name: z.string(),
      combinationSize: z.int().nullable(),
      usesLabels: z.boolean(),
      ownBase: modelReference,
      /** References that the fit on all rows chose; null: the method chooses none, or target and base always agree. */
      references: z.array(modelReference).nullable(),
      /** The candidates. */
      pool: z.array(modelReference),
    }),
    dataset: z.object({
      id: z.string(),
      title: z.string(),
      /** sha256 of the YAML file, and of rows and rules; null: the rows came with imports. */
      yamlSha256: z.string(),
      contentHash: z.string().nullable(),
    }),
    /** How the questions were put; null: unknown, since the data set has no prompt. */
    prompt: z.object({ hash: z.string(), settings: z.record(z.string(), z.unknown()) }).nullable(),
    /**
     * What stands for option 1, 2, ... in the prompt; null: the texts of the options are scored, or nothing is known.
     */
    optionLabels: z.array(z.string()).nullable(),
    /**
     * How new questions are read and put; null: the data set has no prompt, or an earlier version wrote the artefact.
     * Then `predict --input` needs the YAML of the data set; `--logits` needs nothing.
     */
    asking: askingSchema.nullable().default(null),
    fit: z.object({
      rule: z.string(),
      rows: z.int(),
      disagreementRate: numberOrNull,
      weightedBoundaryMargin: numberOrNull,
      /** What the method found on the calibration splits of the suite, for comparison. */
      perSeed: z.array(
        z.object({
          seed: z.int(),
          ...temperature,
          calibrationCount: z.int(),
          references: z.array(z.string()).nullable(),
        }),
      ),
    }),
    /**
     * What the rows of the fit look like; other questions are outside of what is known. 5 %, 50 % and 95 % quantiles.
     */
    expected: z.object({
      /** Range of the finite temperatures of the splits; null: none is finite. */
      temperature: z.object({ low: z.number(), high: z.number() }).nullable(),
      /** Number of options -> rows. */
      optionCounts: z.record(z.string(), z.int()),
      rawConfidence: range,
      confidence: range,
    }),
    /**
     * What the splits of the suite say of the method in this file: `verdicts` of results.json; null: nothing, or an
     * earlier version wrote it.
     */
    verdict: z
      .object({
        kind: z.string(),
        sentence: z.string(),
        chosenBy: z.enum(['rule', 'labels']).nullable(),
      })
      .nullable()
      .default(null),
    /** Measured on rows that the temperatures of `perSeed` were not fitted on; null without labels. */
    ece: z
      .object({
        rule: z.string(),
        seeds: z.int(),
        labelledCount: z.int(),
        method: ece,
        vanilla: ece,
        /** ECE of the temperature of this file on every labelled row of the fit; null: an earlier version wrote it. */
        exported: z.object({ rule: z.string(), pp: z.number(), rows: z.int() }).nullable().default(null),
      })
      .nullable(),
    /** From which confidence on the target may answer alone; null: an earlier version wrote the artefact. */
    thresholds: z
      .object({
        rule: z.string(),
        level: z.number(),
        /** Labelled rows behind what is guaranteed, and all rows of the fit, behind what is estimated. */
        labelled: z.int(),
        examples: z.int(),
        /** The calibrated confidences, for several rates of errors; then the model as it is. */
        points: z.array(thresholdPoint),
        vanilla: z.array(thresholdPoint),
      })
      .nullable()
      .default(null),
    /** What new questions are compared with, to tell whether they are like those of the fit; null: earlier version. */
    drift: driftSchema.nullable().default(null),
    provenance: z.object({
      suite: z.string(),
      command: z.array(z.string()).nullable(),
      tool: z.object({ version: z.string(), nodeLlamaCpp: z.string(), llamaCppRelease: z.string() }),
      backend: z.string(),
      seeds: z.array(z.int()),
      calibrationFraction: z.number(),
      splitGenerator: z.string(),
      eceRule: z.string(),
      /** Cache entries of the scores with the sha256 of their files. */
      scores: z.array(z.object({ model: z.string(), entry: z.string(), checksum: z.string() })),
    }),
  })
  .superRefine(({ temperatureKind, temperature, inverseTemperature }, context) => {
    const beta = temperatureKind === 'infinite' ? 0 : 1 / (temperature ?? Number.NaN);
    if (temperatureKind === 'infinite' && temperature !== null)
      context.addIssue({ code: 'custom', path: ['temperature'], message: 'expected null beside the kind "infinite"' });
    if (temperatureKind === 'finite' && temperature === null)
      context.addIssue({ code: 'custom', path: ['temperature'], message: 'expected a number above 0' });
    else if (beta === Number.POSITIVE_INFINITY)
      context.addIssue({ code: 'custom', path: ['temperature'], message: 'expected a number that has an inverse' });
    else if (!(Math.abs(inverseTemperature - beta) <= 1e-9 * beta))
      context.addIssue({ code: 'custom', path: ['inverseTemperature'], message: `expected 1 / temperature, ${beta}` });
  });

export type CalibrationArtefact = z.infer<typeof artefactSchema>;
export type ArtefactModel = z.infer<typeof modelReference>;

/** schemas/calibration.schema.json (2020-12), for programs in other languages that read artefacts. */
export function artefactJsonSchema(): string {
  const title = 'A calibration of SupportCal: what `supportcal export` writes';
  return `${JSON.stringify({ title, ...z.toJSONSchema(artefactSchema, { io: 'input' }) }, null, 2)}\n`;
}
