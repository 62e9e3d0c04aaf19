/** A file of the report in memory; `path` is relative to the output folder, with forward slashes. */
export interface ReportFile {
  readonly path: string;
  readonly data: string;
}

/** The numbers behind a figure; names end in `_pp` for percentage points. */
export interface FigureTable {
  readonly columns: readonly string[];
  readonly rows: ReadonlyArray<ReadonlyArray<string | number | null>>;
}

/** A figure with what a page needs to show it. */
export interface ReportFigure {
  readonly kind:
    | 'before-after'
    | 'card'
    | 'ece'
    | 'reliability'
    | 'temperature'
    | 'disagreement'
    | 'reintroduction'
    | 'sample-size'
    | 'sensitivity'
    | 'weight-margin'
    | 'loss'
    | 'risk-coverage'
    | 'option-mass'
    | 'prompt-length';
  /** null: the figure is about all data sets. */
  readonly dataset: string | null;
  /** null: the figure is about all targets. */
  readonly target: string | null;
  /** figures/*.svg; the table is written beside it as .csv. */
  readonly path: string;
  readonly title: string;
  /** What the figure says, for readers who do not see it. */
  readonly alt: string;
  /** How its numbers came about, where the title does not say it. */
  readonly note?: string | undefined;
  readonly svg: string;
  readonly table: FigureTable;
}
