import path from 'node:path';
import type { PipelineEvents } from '../../pipeline/workspace/pipeline-events.js';
import type { Session } from './session.js';

/**
 * Shows a run's progress on the session's terminal and writes what the stages say to its log.
 *
 * @param out folder of run.log; null: none is kept
 */
export function pipelineEvents(session: Session, out: string | null): PipelineEvents {
  let logging = false;
  return {
    ...session.progress.events,
    onStage: (stage) => {
      // Not before the files of the run are read and found good: a mistyped command leaves no folder behind.
      if (out !== null && stage !== 'load' && !logging) {
        logging = true;
        session.log.toFile(path.join(out, 'run.log'));
      }
      if (stage !== 'score') session.progress.stop();
      session.log.log('info', `stage ${stage}`);
    },
    onOverview: (overview) => session.progress.announce(overview),
    onScoringPlan: (plan) => {
      session.log.log('info', `${plan.toScore} rows to score, ${plan.cached} in the cache`);
      session.progress.start(plan);
    },
    onModelEnd: (outcome) => {
      // What an interrupt ends has not failed; the session says that its rows are saved.
      if (session.signal.aborted && outcome.kind === 'failed') return;
      session.progress.events.onModelEnd(outcome);
      if (outcome.kind === 'done')
        session.log.log('info', `${outcome.model}: ${outcome.tokens} tokens in ${outcome.seconds.toFixed(1)} s`);
      else session.log.log('info', `${outcome.model}: failed: ${outcome.reason}`);
    },
    onLog: (level, message) => session.log.log(level, message),
  };
}
