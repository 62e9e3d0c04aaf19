import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { Results } from '../../results/results-schema.js';
import type { ReportFigure } from '../text/report-file.js';
import { curveFigures } from './curve-figures.js';
import { disagreementFigures } from './disagreement-figure.js';
import { eceFigures } from './ece-figure.js';
import { histogramFigures } from './histogram-figures.js';
import { lossFigures } from './loss-figure.js';
import { renderReliabilityFigures } from './reliability-figures.js';
import { riskFigures } from './risk-figure.js';
import { temperatureFigures } from './temperature-figure.js';
import { weightFigures } from './weight-figure.js';

/** Every figure that the run has numbers for, in the order of the report; what was not measured has no figure. */
export function figures(results: Results, diagnostics: Diagnostics): ReportFigure[] {
  return [
    ...eceFigures(results),
    ...renderReliabilityFigures(diagnostics),
    ...temperatureFigures(results),
    ...lossFigures(diagnostics),
    ...disagreementFigures(diagnostics),
    ...curveFigures(diagnostics),
    ...weightFigures(diagnostics),
    ...riskFigures(diagnostics),
    ...histogramFigures(diagnostics),
  ];
}
