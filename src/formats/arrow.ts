import type { Format } from './format.js';

/** How the Arrow IPC format is decoded; the decoder is loaded when a file is read. */
const rows: Format['rows'] = {
  kind: 'binary',
  loadDecoder: async () => (await import('./binary/read-arrow.js')).readArrow,
};

/** An Arrow IPC file or stream. */
export const arrow = {
  name: 'arrow',
  endings: ['arrow', 'arrows', 'ipc'],
  // A stream begins with four bytes that are no UTF-8.
  magic: /^(?:ARROW1|\ufffd{4})/,
  hasColumns: true,
  holdsSplits: true,
  rows,
} as const satisfies Format;

/** Feather 2 is an Arrow IPC file under a name of its own. */
export const feather = {
  name: 'feather',
  endings: ['feather'],
  hasColumns: true,
  holdsSplits: false,
  rows,
} as const satisfies Format;
