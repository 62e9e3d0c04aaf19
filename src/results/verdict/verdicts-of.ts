import type { RunResult } from '../run-schema.js';
import type { MethodTemperature, Verdict } from '../verdict-schema.js';
import { alikeMethods } from './alike-methods.js';
import { calibrationSizes } from './calibration-sizes.js';
import { type Candidate, type JudgedResults, type JudgedTarget, judgedTarget } from './candidates.js';
import { verdictEvidence } from './verdict-evidence.js';
import { FEWEST_LABELS, isBestLeft, kindOf, labelledCountOf, labelsInAll, showsNoError } from './verdict-kind.js';
import { verdictSentence } from './verdict-sentence.js';

/**
 * The verdict on every target of every data set, in the order of the runs: from what results.json holds, so that a
 * report makes it of an older file as well.
 */
export function verdictsOf(results: JudgedResults): Verdict[] {
  const pairs = new Map(results.runs.map((run) => [JSON.stringify([run.dataset, run.target]), run]));
  return [...pairs.values()].map((run) => verdictOf(results, run));
}

function verdictOf(results: JudgedResults, { dataset, target, ownBase }: RunResult): Verdict {
  const judged = judgedTarget(results, dataset, target);
  // So few labels decide nothing: the rule stands.
  const few = labelledCountOf(judged.runs) < FEWEST_LABELS;
  const { alike, ruledOut } = few ? { alike: [], ruledOut: [] } : alikeMethods(judged.candidates);
  const [chosen = judged.candidates[0] ?? null] = alike;
  const sick = results.health?.find(
    (each) => each.dataset === dataset && [target, ownBase].includes(each.model) && each.way === undefined,
  );
  const kind = sick === undefined ? kindOf(judged, alike) : 'unknown';
  const used = staysAsItIs(kind, judged, chosen) ? null : chosen;
  const verdict: Omit<Verdict, 'sentence'> = {
    dataset,
    target,
    ownBase,
    kind,
    use: used === null ? null : named(used),
    // Several are offered where each of them shows no error; elsewhere all that cannot be told apart are named.
    alike: (kind === 'any-of' ? alike.filter(({ measured }) => showsNoError(measured)) : alike).map(named),
    chosenBy: chosen === null ? null : ruledOut.length > 0 ? 'labels' : 'rule',
    ruledOut: ruledOut.map(({ label }) => label),
    ...verdictEvidence(judged, used),
    sizes: chosen === null ? null : calibrationSizes(results, dataset, chosen),
  };
  return { ...verdict, sentence: verdictSentence(verdict, labelsInAll(judged.runs), sick?.what) };
}

function staysAsItIs(kind: Verdict['kind'], judged: JudgedTarget, chosen: Candidate | null): boolean {
  return kind === 'already-calibrated' || (kind === 'not-enough' && isBestLeft(judged, chosen?.measured ?? null));
}

function named({ method, combinationSize, label, temperature, temperatureKind }: Candidate): MethodTemperature {
  return { method, combinationSize, label, temperature, temperatureKind };
}
