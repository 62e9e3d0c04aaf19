/** The answer on the first screen: claim, diagrams, verdict, and the table of all models. */
export const OPENING_STYLE = `
.opening{padding:.2rem 0 0}
.eyebrow{margin:0;font-size:.82rem;color:var(--soft);overflow-wrap:anywhere}
.status{margin:0;padding:.05rem .7rem;border-left:3px solid var(--green);font-size:.88rem;overflow-wrap:anywhere;color:var(--soft)}
.status.partial{padding:.4rem .7rem;border-color:var(--vermilion);background:var(--warn);color:var(--warn-ink)}
.status.partial a{color:inherit}
section[id]{padding-top:2.6rem}
#answer{padding-top:.9rem}
.claim{font-size:clamp(1.3rem,2.5vw,1.9rem);line-height:1.2;margin:0;text-wrap:balance;overflow-wrap:anywhere}
#answer>.lead{margin:.25rem 0 .8rem;font-size:.9rem}
.answer{display:grid;gap:1rem 1.6rem;grid-template-columns:minmax(0,37rem) minmax(0,1fr);align-items:start;margin-bottom:1.2rem}
.answer.alone{grid-template-columns:minmax(0,1fr)}
.answer figcaption{display:none}
.verdict-card{border:1px solid var(--rule);border-left:4px solid var(--blue);background:var(--raised);border-radius:8px;padding:.8rem 1rem}
.verdict-card .do{font:600 1.25rem/1.3 var(--serif);margin:0;overflow-wrap:anywhere}
.verdict-card .why{margin:.3rem 0 .6rem;color:var(--soft);font-size:.88rem}
.verdict-card dl{margin:0;display:grid;gap:.15rem}
.verdict-card dl>div{display:flex;justify-content:space-between;gap:1rem;border-top:1px solid var(--rule);padding-top:.25rem}
.verdict-card dt{color:var(--soft);font-size:.88rem}
.verdict-card dd{margin:0;font-weight:600;font-variant-numeric:tabular-nums;white-space:nowrap}
.enough{margin-top:1rem;font-size:.9rem}
.enough h3{margin:0 0 .2rem;font-size:.95rem}
.enough ul{margin:0;padding-left:1.1rem}
.verdict-table.long>.scroll,.numbers>.scroll{max-height:75vh;overflow-y:auto}
.numbers>.scroll{max-height:50vh}
.numbers thead th{position:sticky;top:0;background:var(--ground);z-index:2}
.verdicts .word{text-align:left}
.verdicts td{padding-top:.24rem;padding-bottom:.24rem}
.kind.use,.kind.any-of,.kind.already-calibrated{color:var(--green)}
.kind.not-enough,.kind.none{color:var(--wrong);font-weight:600}
.change{display:inline;font:600 1rem/1.4 var(--sans)}
.verdicts .wrap{white-space:normal;min-width:12rem}
.runs.grid th[scope=row]{white-space:normal;min-width:8rem}
.runs th small{display:block}
.dataset{padding-bottom:1.2rem}
`;
