/** Letters and colours, after Okabe and Ito; both schemes keep at least 4.5 : 1 between text and ground. */
export const BASE_STYLE = `
:root{color-scheme:light dark;--paper:#fbfaf7;--raised:#fff;--ink:#1d242c;--soft:#55606b;--rule:#d9dbd7;--strong:#1d242c;--link:#005a8d;--blue:#0072b2;--vermilion:#d55e00;--wrong:#a84300;--green:#00795a;--shade:0,114,178;--tint:#eef4f8;--edge:rgba(29,36,44,.2);--warn:#fdf0e4;--warn-ink:#8a3c00;--serif:Charter,'Bitstream Charter','Iowan Old Style',Cambria,Georgia,serif;--sans:system-ui,-apple-system,'Segoe UI','Helvetica Neue',Arial,'DejaVu Sans',sans-serif;--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}
@media screen and (prefers-color-scheme:dark){:root{--paper:#12161b;--raised:#1a2027;--ink:#e6e9ec;--soft:#a5b0ba;--rule:#323b45;--strong:#8d98a3;--link:#7cc4f0;--blue:#56b4e9;--vermilion:#f0905a;--wrong:#f0905a;--green:#4cc7a1;--shade:86,180,233;--tint:#1b2a36;--edge:rgba(0,0,0,.7);--warn:#33241a;--warn-ink:#f5b98d}}
*{box-sizing:border-box}
html{scroll-padding-top:4.5rem;-webkit-text-size-adjust:100%}
body{--ground:var(--paper);margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 var(--sans)}
main{max-width:90rem;margin:0 auto;padding:0 clamp(1rem,4vw,2.5rem) 5rem}
a{color:var(--link);text-underline-offset:.15em}
:focus-visible{outline:2px solid var(--blue);outline-offset:2px;border-radius:2px}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:-99rem;background:var(--raised);padding:.5rem 1rem;z-index:9}
.skip:focus{left:.5rem;top:.5rem}
nav{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;padding:.7rem clamp(1rem,4vw,2.5rem);max-width:90rem;margin:0 auto;font-size:.875rem}
nav a{color:var(--soft);text-decoration:none;white-space:nowrap}
nav a:hover{color:var(--link);text-decoration:underline}
h1{font:600 clamp(1.3rem,2.2vw,1.6rem)/1.08 var(--serif);margin:.2rem 0 .4rem;letter-spacing:-.015em;overflow-wrap:anywhere}
h2{font:600 1.75rem/1.2 var(--serif);margin:0 0 .5rem;letter-spacing:-.01em}
h3{font:600 1.02rem/1.3 var(--sans);margin:1.6rem 0 .4rem;overflow-wrap:anywhere}
.lead{max-width:60rem;margin:0 0 1.2rem;color:var(--soft)}
.note{font-size:.85rem;color:var(--soft);margin:.45rem 0;max-width:70rem}
code,pre,.hash{font-family:var(--mono);font-size:.9em}
.hash{font-size:.75rem;overflow-wrap:anywhere;word-break:break-all}
pre{overflow-x:auto;padding:.8rem 1rem;background:var(--raised);border:1px solid var(--rule);border-radius:6px;margin:.6rem 0}
.copier{all:unset;cursor:pointer;margin-left:.5em;font:500 .75rem/1.5 var(--sans);color:var(--link);text-decoration:underline;text-underline-offset:.15em}
.copier:focus-visible{outline:2px solid var(--blue);outline-offset:2px}
.filters{position:sticky;top:0;z-index:3;display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1.1rem;margin:2.6rem calc(-1*clamp(1rem,4vw,2.5rem)) 0;padding:.6rem clamp(1rem,4vw,2.5rem);background:var(--paper);border-bottom:1px solid var(--rule);font-size:.875rem}
.filters[hidden]{display:none}
.filters select,.filters button{font:inherit;color:inherit;background:var(--raised);border:1px solid var(--rule);border-radius:5px;padding:.25rem .5rem;max-width:14rem}
.filters .methods{position:relative}
.filters summary{cursor:pointer}
.filters fieldset{position:absolute;left:0;top:1.9rem;z-index:4;display:grid;gap:.25rem;margin:0;border:1px solid var(--rule);border-radius:6px;background:var(--raised);padding:.6rem .9rem;white-space:nowrap;box-shadow:0 6px 22px rgba(0,0,0,.18)}
.shown{color:var(--soft)}
.jump{display:none;margin-left:auto;gap:1rem}
.jump a{color:var(--soft);text-decoration:none}
.jump a:hover{color:var(--link);text-decoration:underline}
@media (min-width:60rem){.jump{display:flex}}
.off{display:none!important}
`;
