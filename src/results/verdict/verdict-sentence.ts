import type { MethodTemperature, Verdict } from '../verdict-schema.js';
import { FEWEST_LABELS } from './verdict-kind.js';

type Judged = Omit<Verdict, 'sentence'>;

/**
 * The verdict in words.
 *
 * @param labelsInAll labelled questions of both sides of a split that a check takes
 * @param sick what makes the numbers of the target mean little
 */
export function verdictSentence(verdict: Judged, labelsInAll: number, sick?: string): string {
  if (sick !== undefined) return `no verdict, since its numbers mean little: ${sick}`;
  return `${sentenceOf(verdict, labelsInAll)}${choiceNote(verdict)}`;
}

function sentenceOf(verdict: Judged, labelsInAll: number): string {
  switch (verdict.kind) {
    case 'use':
      return `use ${shown(verdict.use)}: calibrated within what ${verdict.labelledCount} questions can show`;
    case 'any-of':
      return anyOf(verdict);
    case 'improves':
      return `use ${shown(verdict.use)}: better, but ${error(verdict)} left${excess(verdict)}; ${labelsDoNoBetter(verdict)}`;
    case 'not-enough':
      return notEnough(verdict);
    case 'already-calibrated':
      return `leave it as it is: calibrated within what ${verdict.labelledCount} questions can show`;
    case 'unknown':
      return unknown(verdict, labelsInAll);
    case 'none':
      return 'no verdict: no method without labels has a temperature here';
  }
}

function anyOf({ alike, labelledCount }: Judged): string {
  const count = COUNTS[alike.length] ?? alike.length;
  const calibrated = `calibrated within what ${labelledCount} questions can show`;
  return `any of these ${count}: ${alike.map(shown).join(', ')}; all are ${calibrated}`;
}

const COUNTS = ['', '', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

function notEnough(verdict: Judged): string {
  if (verdict.use === null)
    return `not enough: no temperature without labels is better than none, and ${error(verdict)} are left${excess(verdict)}; ${label(verdict)}`;
  return `not enough: ${error(verdict)} left with ${shown(verdict.use)}${excess(verdict)}; ${why(verdict)}; ${label(verdict)}`;
}

function unknown({ use, labelledCount, before, after }: Judged, labelsInAll: number): string {
  if (use === null) return 'no verdict: nothing was measured';
  const chosen = `use ${shown(use)}: chosen without labels`;
  const needed = `${FEWEST_LABELS} on the evaluation side (about ${labelsInAll} in all)`;
  if (labelledCount === 0) return `${chosen}; nothing here can check it, which takes labels: ${needed}`;
  if (labelledCount < FEWEST_LABELS) {
    const are = labelledCount === 1 ? 'question is' : 'questions are';
    return `${chosen}; ${labelledCount} labelled ${are} too few to check it, which takes ${needed}`;
  }
  const moved = before === null || after === null ? '' : ` (ECE ${pp(before.ecePp)} to ${pp(after.ecePp)} pp)`;
  return `${chosen}${moved}; no intervals were made that could check it`;
}

/** Whether labels had a part in the choice is part of the verdict. */
function choiceNote({ kind, chosenBy, ruledOut, use }: Judged): string {
  if (chosenBy !== 'labels' || use === null || kind === 'unknown') return '';
  return `; chosen with labels, which rule out ${ruledOut.join(' and ')}`;
}

/** `10.3 (DACA)` */
function shown(use: MethodTemperature | null): string {
  if (use === null) return 'no temperature';
  const value = use.temperature === null ? 'equal confidence for all options' : use.temperature.toPrecision(3);
  return `${value} (${use.label})`;
}

/** The ECE itself, as tables and cards give it. */
function error({ before, after, use }: Judged): string {
  return `${pp((use === null ? before : after)?.ecePp ?? null)} pp`;
}

/** How much of that is more than the ECE that so many questions show of a calibrated model. */
function excess({ leftPp }: Judged): string {
  return leftPp === null ? '' : `, ${pp(leftPp)} more than a calibrated model would show`;
}

/** Below this a fit on labels is no better, in percentage points. */
const LITTLE_PP = 0.5;

function labelsDoNoBetter({ labelledFit, after, calibrationCount }: Judged): string {
  if (labelledFit === null || after === null) return 'there is no fit on labels to compare with';
  const less = after.ecePp - labelledFit.ecePp;
  const how = less > LITTLE_PP ? `leaves ${pp(labelledFit.ecePp)} pp` : 'does no better';
  return `a fit on ${calibrationCount} labels ${how}`;
}

function label({ sizes, calibrationCount }: Judged): string {
  const needed = sizes === null ? calibrationCount : sizes.labelsBetter;
  return needed === null ? `even ${sizes?.tried} labels do no better` : `label ${needed} questions`;
}

/** Why the label-free temperature is off: what the base knows is what it makes the model claim. */
function why({ accuracy, ownBaseAccuracy, claimedAfter }: Judged): string {
  if (accuracy === null || claimedAfter === null) return 'the cause is not known';
  const gain = accuracy - (ownBaseAccuracy ?? accuracy);
  const claims = `claims ${percent(claimedAfter)} % and is right in ${percent(accuracy)} %`;
  if (gain > 0.01 && claimedAfter < accuracy)
    return `the base knows less than the model (right in ${percent(ownBaseAccuracy ?? 0)} % against ${percent(accuracy)} %), so the model now ${claims}`;
  if (gain < -0.01 && claimedAfter > accuracy)
    return `the base knows more than the model (right in ${percent(ownBaseAccuracy ?? 0)} % against ${percent(accuracy)} %), so the model still ${claims}`;
  return `the model now ${claims}`;
}

function percent(share: number): string {
  return (100 * share).toFixed(0);
}

function pp(value: number | null): string {
  return value === null ? 'some' : value.toFixed(1);
}
