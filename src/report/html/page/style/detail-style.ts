/** What unfolds, and the lists of the appendix. */
export const DETAIL_STYLE = `
.part{border-top:1px solid var(--rule)}
.part:last-of-type{border-bottom:1px solid var(--rule)}
.part>summary{cursor:pointer;padding:.55rem 0}
.part>summary h3{display:inline;margin:0;font-size:1rem}
.part>summary:hover h3{color:var(--link)}
.part>.inside{padding:.2rem 0 1.6rem}
.inside>.lead{margin-bottom:.7rem}
.columns{display:grid;gap:0 1.6rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr))}
.columns>*{min-width:0}
.metric-choice select{font:inherit;color:inherit;background:var(--raised);border:1px solid var(--rule);border-radius:5px;padding:.25rem .5rem}
.metric-tables .scroll{margin-bottom:1.2rem}
details.data>summary,.prose>summary{cursor:pointer;font-size:.85rem;color:var(--link);margin:.35rem 0}
.prose{max-width:46rem;margin-top:1rem}
.prose p{margin:.5rem 0}
.browse{display:flex;flex-wrap:wrap;gap:.5rem 1.1rem;font-size:.88rem}
.browse select,.browse input{font:inherit;color:inherit;background:var(--raised);border:1px solid var(--rule);border-radius:5px;padding:.25rem .5rem;max-width:16rem}
.answers.grid th[scope=row]{max-width:none;white-space:normal;font-weight:400}
.answers .word{text-align:left;white-space:normal;min-width:6.5rem}
.answers td.state{min-width:3.5rem}
.answers td{vertical-align:top}
.question{all:unset;cursor:pointer;display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden;overflow-wrap:anywhere;min-width:min(14rem,36vw)}
.question:hover{color:var(--link)}
.question:focus-visible{outline:2px solid var(--blue);outline-offset:2px}
.question[aria-expanded=true]{font-weight:600;-webkit-line-clamp:none}
.state.right{color:var(--green)}
.state.wrong{color:var(--wrong);font-weight:600}
.opened{padding:.2rem 0 .6rem;max-width:60rem;text-align:left;white-space:normal}
.turns{display:flex;gap:.6rem;margin:.5rem 0}
.turn{font:inherit;font-size:.85rem;color:inherit;background:var(--raised);border:1px solid var(--rule);border-radius:5px;padding:.2rem .8rem;cursor:pointer}
.turn:disabled{opacity:.5;cursor:default}
.field{white-space:pre-wrap;overflow-wrap:anywhere;margin:.4rem 0;max-width:62rem}
.field .name{font-size:.75rem;color:var(--soft);margin-right:.5em}
.facts-list{display:grid;gap:0;margin:0 0 1.6rem;border-top:1px solid var(--rule)}
.facts-list>div{display:grid;grid-template-columns:minmax(7rem,11rem) minmax(0,1fr);gap:1rem;padding:.42rem 0;border-bottom:1px solid var(--rule);font-size:.9rem}
.facts-list dt{color:var(--soft)}
.facts-list dd{margin:0;overflow-wrap:anywhere}
.lines{font-size:.9rem;padding-left:1.2rem;overflow-wrap:anywhere}
#provenance .scroll{margin-bottom:1.4rem}
@media screen{#provenance td{min-width:7.5rem}#provenance td.num{min-width:0}#provenance td:has(.hash){min-width:18rem}}

`;
