/** A file of the report in memory; `path` is relative to the output folder, with forward slashes. */
export interface ReportFile {
  readonly path: string;
  readonly data: string;
}

/** A figure with what a page needs to show it. */
export interface ReportFigure {
  readonly kind: 'reliability';
  readonly dataset: string;
  readonly target: string;
  readonly path: string;
  readonly title: string;
  /** What the figure says, for readers who do not see it. */
  readonly alt: string;
  readonly svg: string;
}
