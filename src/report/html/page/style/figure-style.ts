/** Figures side by side, and what stands below them. */
export const PLOT_STYLE = `
.plots{display:grid;gap:1.2rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));align-items:start}
figure{margin:0;min-width:0}
.plot{--ground:var(--raised);background:var(--raised);border:1px solid var(--rule);border-radius:8px;padding:.5rem}
.plot svg{display:block;max-width:100%;height:auto;margin:0 auto;font-family:var(--sans)}
.plots figure:only-child .plot svg{width:min(100%,44rem)}
figcaption{font-size:.8rem;line-height:1.45;color:var(--soft);margin-top:.4rem;max-width:62rem;overflow-wrap:anywhere;display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
figcaption:hover,figcaption:focus-within{-webkit-line-clamp:none}
.file{font-family:var(--mono);font-size:.86em;color:var(--soft);margin-left:.4em;overflow-wrap:anywhere}
`;
