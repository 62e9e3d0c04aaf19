import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { Results } from '../../results/results-schema.js';
import type { Verdict } from '../../results/verdict-schema.js';
import { leadVerdict } from '../outcome/lead-verdict.js';
import type { ReportFigure } from '../text/report-file.js';
import { cardFigure } from './card-figure.js';
import { disagreementFigures } from './disagreement-figure.js';
import { eceFigures } from './ece-figure.js';
import { histogramFigures } from './histogram-figures.js';
import { curveFigures } from './lines/curve-figures.js';
import { lossFigures } from './lines/loss-figure.js';
import { riskFigures } from './lines/risk-figure.js';
import { weightFigures } from './lines/weight-figure.js';
import { beforeAfterFigure } from './reliability/before-after-figure.js';
import { renderReliabilityFigures } from './reliability/reliability-figures.js';
import { reliabilityMultiples } from './reliability/reliability-multiples.js';
import { temperatureFigures } from './temperature-figure.js';

/** Every figure that the run has numbers for, in the order of the report; what was not measured has no figure. */
export function figures(results: Results, diagnostics: Diagnostics, verdicts: readonly Verdict[]): ReportFigure[] {
  const lead = leadVerdict(verdicts);
  return [
    ...cardFigure(results, diagnostics, lead),
    ...beforeAfterFigure(diagnostics, lead),
    ...eceFigures(results),
    ...reliabilityMultiples(diagnostics, verdicts),
    ...renderReliabilityFigures(diagnostics),
    ...temperatureFigures(results),
    ...lossFigures(diagnostics),
    ...disagreementFigures(diagnostics),
    ...curveFigures(diagnostics),
    ...weightFigures(diagnostics),
    ...riskFigures(diagnostics, verdicts),
    ...histogramFigures(diagnostics),
  ];
}
