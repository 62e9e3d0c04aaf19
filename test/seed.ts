import fc from 'fast-check';

/** Property tests draw the same inputs in every run; a test that wants others says its own seed. */
fc.configureGlobal({ seed: 20261128 });
