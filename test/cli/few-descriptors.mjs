import { closeSync, openSync } from 'node:fs';

// Once the command line listens to signals, all its modules are loaded: from then on only FREE_DESCRIPTORS can be
// opened.
const free = Number(process.env.FREE_DESCRIPTORS);
const watch = setInterval(() => {
  if (process.listenerCount('SIGINT') === 0) return;
  clearInterval(watch);
  const held = [];
  try {
    for (;;) held.push(openSync('/dev/null'));
  } catch {
    for (const descriptor of held.slice(0, free)) closeSync(descriptor);
  }
}, 0);
