import { PLANTED_JUDGEMENTS } from './planted-judgements.js';

/** A small fault as somebody might make it, and the tests that must fail once it is in. */
export interface PlantedFault {
  readonly fault: string;
  /** Path inside `src`. */
  readonly file: string;
  /** Text that stands there once, and what is put in its place. */
  readonly from: string;
  readonly to: string;
  /** Test files, by their paths inside `test`. */
  readonly tests: readonly string[];
}

const HABITS = ['files/disk-habits.test.ts'];
const DAMAGE = ['cache/damage.test.ts'];
const BINS = ['metrics/ece.test.ts'];
const HUB = ['hub/fetch-hub-file.test.ts'];

const FLUSHES: readonly PlantedFault[] = [
  {
    fault: 'the bytes of a file are not flushed',
    file: 'files/write-file-atomic.ts',
    from: '          if (!flushed) await written.sync();\n',
    to: '',
    tests: HABITS,
  },
  {
    fault: 'the folder of a file is not flushed',
    file: 'files/write-file-atomic.ts',
    from: '  await staged.commit(options);\n  await flushFolder(dirname(target));\n',
    to: '  await staged.commit(options);\n',
    tests: HABITS,
  },
  {
    fault: 'files that belong together get their names before all are flushed',
    file: 'files/write-file-atomic.ts',
    from: '      await file.flush();\n',
    to: '',
    tests: HABITS,
  },
  {
    fault: 'the folders of files that belong together are not flushed',
    file: 'files/write-file-atomic.ts',
    from: 'dirname(join(folder, name))))) await flushFolder(each);',
    to: 'dirname(join(folder, name))))) await Promise.resolve(each);',
    tests: HABITS,
  },
  {
    fault: 'the bytes of a stream (predict --out, validate --dump-tokens, export) are not flushed',
    file: 'files/write-stream-atomic.ts',
    from: '        .sync()\n        .then(() => handle.close())',
    to: '        .close()',
    tests: HABITS,
  },
  {
    fault: 'the folder of a stream is not flushed',
    file: 'files/write-stream-atomic.ts',
    from: '        .then(() => flushFolder(dirname(target)))\n',
    to: '',
    tests: HABITS,
  },
  {
    fault: 'a new folder is not flushed into its parent',
    file: 'files/make-folder.ts',
    from: '    await flushFolder(path.dirname(absolute));\n',
    to: '',
    tests: HABITS,
  },
  {
    fault: 'a failed flush of a folder is silent',
    file: 'files/flush-folder.ts',
    from: "if (!CANNOT.has((cause as NodeJS.ErrnoException).code ?? '')) throw",
    to: "if ((cause as NodeJS.ErrnoException).code === 'none') throw",
    tests: HABITS,
  },
  {
    fault: 'the bytes of a download are not flushed',
    file: 'hub/download-file.ts',
    from: '    await handle.sync().catch(failedAt(partial));\n',
    to: '',
    tests: HABITS,
  },
  {
    fault: 'the folder of a download is not flushed',
    file: 'hub/download-file.ts',
    from: '  await flushFolder(path.dirname(target));\n',
    to: '',
    tests: HABITS,
  },
  {
    fault: 'the folder of the parts is not flushed',
    file: 'cache/flush-queue.ts',
    from: '    if (unnamed > 0) await flushFolder(folder);\n',
    to: '',
    tests: HABITS,
  },
  {
    fault: 'the folder of the parts is flushed at the end alone',
    file: 'cache/flush-queue.ts',
    from: '        if (unnamed >= MOST_UNFLUSHED) await flushNames();\n',
    to: '',
    tests: HABITS,
  },
  {
    fault: 'parts wait for the disk without a limit',
    file: 'cache/flush-queue.ts',
    from: '      if (waiting >= MOST_UNFLUSHED) await last;\n',
    to: '',
    tests: ['cache/flush-queue.test.ts'],
  },
  {
    fault: 'an entry is given back before its parts are flushed',
    file: 'cache/entry-writer.ts',
    from: 'flushes.done().finally(() => lock.release())',
    to: 'lock.release()',
    tests: HABITS,
  },
];

const CACHE: readonly PlantedFault[] = [
  {
    fault: 'a manifest of another key is accepted',
    file: 'cache/read-entry.ts',
    from: 'if (keyHash !== null && manifest.keyHash !== keyHash)',
    to: 'if (keyHash === undefined)',
    tests: DAMAGE,
  },
  {
    fault: 'a manifest may point outside the cache folder',
    file: 'cache/read-entry.ts',
    from: 'if (basename(manifest.arrowFile) !== manifest.arrowFile)',
    to: "if (manifest.arrowFile === '')",
    tests: DAMAGE,
  },
  {
    fault: 'a manifest under another name than its own is accepted',
    file: 'cache/read-entry.ts',
    from: '.json` !== basename(manifestFile)',
    to: ".json` === ''",
    tests: DAMAGE,
  },
  {
    fault: 'a part of another entry is accepted',
    file: 'cache/parts/part-files.ts',
    from: '{basename(folder)}\\n`',
    to: '{folder.slice(folder.length)}\\n`',
    tests: DAMAGE,
  },
  {
    fault: 'the lock is not looked at before the parts are removed',
    file: 'cache/entry-writer.ts',
    from: '        // What stays of the parts after a kill here is removed when the entry is opened next.\n        await lock.assertHeld();\n',
    to: '',
    tests: ['cache/resume.test.ts'],
  },
  {
    fault: 'the lock is not looked at before the rows get their name',
    file: 'cache/entry-writer.ts',
    from: '      }\n      await lock.assertHeld();\n    },\n  });',
    to: '      }\n    },\n  });',
    tests: ['cache/resume.test.ts'],
  },
  {
    fault: 'the lock is not looked at before the manifest gets its name',
    file: 'cache/entry-writer.ts',
    from: ', text, { verify: () => lock.assertHeld() });',
    to: ', text);',
    tests: ['cache/resume.test.ts'],
  },
  {
    fault: 'the lock is not looked at before rows are appended',
    file: 'cache/entry-writer.ts',
    from: '        await lock.assertHeld();\n        checkRows(',
    to: '        checkRows(',
    tests: ['cache/resume.test.ts'],
  },
  {
    fault: 'a lock is stale after a tenth of its time',
    file: 'cache/lock/entry-lock.ts',
    from: 'const STALE_MS = 30_000;',
    to: 'const STALE_MS = 3_000;',
    tests: ['cache/lock/entry-lock.test.ts'],
  },
  {
    fault: 'a failed row that is scored again stays failed',
    file: 'cache/entry-writer.ts',
    from: 'if (table.status[n] === 1) failed.delete(id);',
    to: 'if (table.status[n] === 1) return;',
    tests: ['cache/entry-round-trip.test.ts', 'cache/resume.test.ts'],
  },
  {
    fault: 'the rows that a part file holds are not counted',
    file: 'cache/parts/part-files.ts',
    from: 'if (table.ids.length !== part.rows) throw',
    to: 'if (part.rows < 0) throw',
    tests: DAMAGE,
  },
  {
    fault: 'an earlier import stays beside the new one',
    file: 'cache/imported-entry.ts',
    from: '    await removeOlder(cacheDir, key, manifest.arrowFile);\n',
    to: '',
    tests: ['cache/imported-entry.test.ts'],
  },
  {
    fault: 'the hash memo remembers a file that is not settled',
    file: 'files/file-hash-cached.ts',
    from: 'if (after.ctimeNs + UNSETTLED_NS < started) await remember',
    to: 'if (after.ctimeNs < started + UNSETTLED_NS) await remember',
    tests: ['files/file-hash-cached.test.ts'],
  },
  {
    fault: 'a file that changes while it is hashed is not hashed again',
    file: 'files/file-hash-cached.ts',
    from: 'if (stampOf(after) !== stampOf(before)) return fileHashCached(path, indexFile, hash);\n',
    to: '\n',
    tests: ['files/file-hash-cached.test.ts'],
  },
  {
    fault: 'the order of keys changes a content hash',
    file: 'files/content-hash.ts',
    from: 'Object.keys(record).sort()',
    to: 'Object.keys(record)',
    tests: ['files/content-hash.test.ts'],
  },
];

const SURROUNDINGS: readonly PlantedFault[] = [
  {
    fault: 'secrets are handed to the environment of a child process',
    file: 'scoring/process/spawn-worker.ts',
    from: 'Object.entries(withoutSecrets(process.env))',
    to: 'Object.entries(process.env)',
    tests: ['scoring/process/spawn-worker.test.ts'],
  },
  {
    fault: 'the token goes to every host that the hub names',
    file: 'hub/hub-get.ts',
    from: 'access.token !== null && url.origin === new URL(access.endpoint).origin',
    to: 'access.token !== null',
    tests: HUB,
  },
  {
    fault: 'a download is written through a link in a cache of somebody else',
    file: 'hub/download-file.ts',
    from: ' | (constants.O_NOFOLLOW ?? 0)',
    to: '',
    tests: HUB,
  },
  {
    fault: 'a file among the downloads of the tools of the hub is taken whatever hash its name says',
    file: 'hub/fetch-hub-file.ts',
    from: 'path.basename(real) !== (listed.sha256 ?? listed.blobSha1)',
    to: "path.basename(real) === ''",
    tests: HUB,
  },
  {
    fault: 'a broken download is taken up without asking whether the file is the same',
    file: 'hub/download-file.ts',
    from: "...(etag !== '' && { 'if-range': etag })",
    to: '',
    tests: HUB,
  },
  {
    fault: 'a run is written through links in its folder',
    file: 'pipeline/write/write-run.ts',
    from: '  await refuseLinks(folder, names);\n',
    to: '',
    tests: ['cli/one-run.test.ts'],
  },
  {
    fault: 'a report is written through links in its folder',
    file: 'report/write-report.ts',
    from: "  await refuseLinks(outDir, ['tables', 'figures', LIST, ...paths]);\n",
    to: '',
    tests: ['cli/one-run.test.ts'],
  },
  {
    fault: 'a temporary file of a live process is removed',
    file: 'files/remove-abandoned.ts',
    from: '(isAlive(Number(pid)) && !(await isAbandoned(file)))',
    to: 'isAlive(0)',
    tests: ['files/remove-abandoned.test.ts'],
  },
  {
    fault: 'text that a spreadsheet would run is exported as it is',
    file: 'files/csv-cell.ts',
    from: 'const safe = RUNS_AS_FORMULA.test(value) ?',
    to: 'const safe = value.length < 0 ?',
    tests: ['report/table/csv-tables.test.ts'],
  },
];

const MATHEMATICS: readonly PlantedFault[] = [
  {
    fault: 'a p-value of resamples without its + 1',
    file: 'inference/best-methods.ts',
    from: '(1 + beyond) / (1 + count)',
    to: 'beyond / count',
    tests: ['inference/paired-difference.test.ts'],
  },
  {
    fault: 'a paired test of the difference alone, whatever the sign of the smaller error could be',
    file: 'inference/paired-difference.ts',
    from: 'return unionPValue(p, q, correlation);',
    to: 'return unionPValue(p, 0 * q, correlation);',
    tests: ['inference/paired-difference.test.ts'],
  },
  {
    fault: 'the first step of Holm is every step (Bonferroni)',
    file: 'inference/adjusted-p-values.ts',
    from: '(order.length - rank) * ',
    to: 'order.length * ',
    tests: ['inference/laws.test.ts'],
  },
  {
    fault: 'a right-owned bin does not own its right edge',
    file: 'metrics/bins/binning.ts',
    from: 'if (confidence <= edges[bin]! && bin > 0) return bin - 1;',
    to: 'if (confidence < edges[bin]! && bin > 0) return bin - 1;',
    tests: BINS,
  },
  {
    fault: 'a left-owned bin owns its right edge too where the product is rounded down',
    file: 'metrics/bins/binning.ts',
    from: 'return confidence >= edges[bin + 1]! && bin < last ? bin + 1 : bin;',
    to: 'return confidence > edges[bin + 1]! && bin < last ? bin + 1 : bin;',
    tests: BINS,
  },
  {
    // Either alone is enough: 3,500,500 numbers at and beside the edges of 1 to 1,000 bins fall alike without one of
    // them.
    fault: 'neither is the product kept below an edge that it rounds up to, nor the bin moved back',
    file: 'metrics/bins/binning.ts',
    from: `(1 - Number.EPSILON)) | 0;
  if (bin > last) return last;
  if (rightOwned) {
    if (confidence <= edges[bin]! && bin > 0) return bin - 1;
    return confidence > edges[bin + 1]! && bin < last ? bin + 1 : bin;
  }
  if (confidence < edges[bin]! && bin > 0) return bin - 1;`,
    to: `1) | 0;
  if (bin > last) return last;
  if (rightOwned) {
    if (confidence <= edges[bin]! && bin > 0) return bin - 1;
    return confidence > edges[bin + 1]! && bin < last ? bin + 1 : bin;
  }`,
    tests: BINS,
  },
  {
    fault: 'an equal-mass bin begins at its highest confidence',
    file: 'metrics/bins/equal-mass-bins.ts',
    from: 'if (room === sum.size) sum.lowest',
    to: 'sum.lowest',
    tests: BINS,
  },
  {
    fault: '15 and 20 bins follow the other rule of edges',
    file: 'metrics/evaluate-confidences.ts',
    from: "edgeRule === 'right-owned')]",
    to: "edgeRule !== 'right-owned')]",
    tests: BINS,
  },
  {
    fault: 'an evaluation changes when the next one is made',
    file: 'metrics/evaluate.ts',
    from: 'shared === null ? {',
    to: 'shared !== null ? {',
    tests: ['metrics/evaluate.test.ts'],
  },
  {
    fault: 'ties of S* at 6 digits in place of 12',
    file: 'calibration/references/select-references.ts',
    from: 'toPrecision(12)',
    to: 'toPrecision(6)',
    tests: ['calibration/references/select-references.test.ts'],
  },
  {
    fault: 'no ties of S*: all digits count',
    file: 'calibration/references/select-references.ts',
    from: 'Number(mean.meanSupport.toPrecision(12))',
    to: 'mean.meanSupport',
    tests: ['calibration/references/select-references.test.ts'],
  },
  {
    fault: 'a boundary margin of rounding noise has a sign',
    file: 'calibration/fit/boundary-margin.ts',
    from: 'Math.abs(margin) <= ROUNDINGS * Number.EPSILON * scale ? 0 : margin',
    to: 'margin + 0 * scale',
    tests: ['calibration/'],
  },
  {
    fault: 'a tie of the largest logits goes to the last option',
    file: 'numeric/argmax.ts',
    from: 'if (values[i]! > values[best]!) best = i;',
    to: 'if (values[i]! >= values[best]!) best = i;',
    tests: ['numeric/argmax.test.ts'],
  },
  {
    fault: 'the share of examples for calibration is rounded in binary',
    file: 'numeric/floor-of-share.ts',
    from: '  const [mantissa',
    to: '  if (count > 0) return Math.floor(fraction * count);\n  const [mantissa',
    tests: ['numeric/floor-of-share.test.ts'],
  },
  {
    fault: 'copies of an example may stand on both sides of a split',
    file: 'calibration/split-examples.ts',
    from: 'groups.count === ids.length ? chooseFirst',
    to: 'groups.count > 0 ? chooseFirst',
    tests: ['calibration/split-examples.test.ts'],
  },
  {
    fault: 'softmax without the shift by the maximum',
    file: 'numeric/softmax.ts',
    from: 'Math.exp(inverseTemperature * (values[i]! - max))',
    to: 'Math.exp(inverseTemperature * values[i]! - 0 * max)',
    tests: ['numeric/', 'metrics/extreme-inputs.test.ts'],
  },
  {
    fault: 'the weight on disagreement leaves out the own base',
    file: 'calibration/support-weights.ts',
    from: 'split.ownBaseSupport[n]! * split.corroboration(n)',
    to: 'split.corroboration(n)',
    tests: ['calibration/golden-cases.test.ts'],
  },
  {
    fault: 'a fit uses rows that a model is certain of',
    file: 'calibration/certain-rows.ts',
    from: 'certain == null ? rows : rows.filter((n) => certain[n] === 0)',
    to: 'certain == null ? rows : rows.slice()',
    tests: ['calibration/'],
  },
  {
    fault: 'options that share their scored token are accepted',
    file: 'engine/encode/option-tokens.ts',
    from: 'if (twin >= 0) {',
    to: 'if (twin > labels.length) {',
    tests: ['engine/encode/option-tokens.test.ts'],
  },
  {
    fault: 'a start token twice',
    file: 'engine/encode/encode-prompt.ts',
    from: 'if (bosId !== null && head[0] !== bosId)',
    to: 'if (bosId !== null)',
    tests: ['engine/encode/encode-prompt.test.ts'],
  },
];

export const PLANTED_FAULTS: readonly PlantedFault[] = [
  ...FLUSHES,
  ...CACHE,
  ...SURROUNDINGS,
  ...MATHEMATICS,
  ...PLANTED_JUDGEMENTS,
];
