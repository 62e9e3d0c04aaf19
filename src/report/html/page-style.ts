/** The page's only style. Colours are Okabe and Ito's; both schemes keep at least 4.5 : 1 between text and ground. */
export const PAGE_STYLE = `
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
.opening{padding:clamp(1rem,2.4vw,1.8rem) 0 .3rem}
.eyebrow{margin:0;font-size:.8rem;letter-spacing:.09em;text-transform:uppercase;color:var(--soft)}
h1{font:600 clamp(2.1rem,5vw,3.1rem)/1.08 var(--serif);margin:.2rem 0 .4rem;letter-spacing:-.015em;overflow-wrap:anywhere}
h2{font:600 1.75rem/1.2 var(--serif);margin:0 0 .5rem;letter-spacing:-.01em}
h3{font:600 1.02rem/1.3 var(--sans);margin:1.6rem 0 .4rem;overflow-wrap:anywhere}
section[id]{padding-top:3.2rem}
#headline{padding-top:1.4rem}
.facts{margin:0 0 1rem;color:var(--soft)}
.lead{max-width:60rem;margin:0 0 1.2rem;color:var(--soft)}
.note{font-size:.85rem;color:var(--soft);margin:.45rem 0;max-width:70rem}
.brief{display:flex;flex-wrap:wrap;gap:.7rem}
.status,.next{flex:1 1 22rem;margin:0;padding:.4rem .8rem;border-left:3px solid var(--green);background:var(--raised);font-size:.92rem;overflow-wrap:anywhere}
.next{flex:2 1 34rem;border-color:var(--blue)}
.status.partial{border-color:var(--vermilion);background:var(--warn);color:var(--warn-ink)}
.status.partial a{color:inherit}
.cards{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,19rem),1fr))}
.card,.example,.plot{--ground:var(--raised)}
.card{min-width:0;background:var(--raised);border:1px solid var(--rule);border-radius:8px;padding:1rem 1.15rem .9rem}
.card h3{margin:0 0 .6rem}
.card .note{margin:.5rem 0 0}
table{border-collapse:separate;border-spacing:0;font-variant-numeric:tabular-nums}
.bars{width:100%}
.bars th{font-weight:400;text-align:left;padding:.18rem .7rem .24rem 0;white-space:nowrap;width:1%;font-size:.9rem}
.bars td{padding:.18rem 0}
.bars td.num{width:3.8em;text-align:right;font-weight:600;font-size:1.02rem;padding-left:.7rem}
.bars svg{display:block;width:100%;height:.72rem;border-radius:2px}
.bars rect{fill:var(--blue)}
.bars .vanilla rect{fill:var(--vermilion)}
.bars .oracle rect{fill:var(--strong);opacity:.45}
.bars .oracle th{color:var(--soft)}
.scroll{position:relative;overflow-x:auto;max-width:100%;background:linear-gradient(to left,var(--ground) 40%,transparent) right -2px top/3.2rem 100% no-repeat local,linear-gradient(to left,var(--edge),transparent) right/1.3rem 100% no-repeat scroll var(--ground)}
.grid{width:100%;font-size:.885rem;border-top:2px solid var(--strong);border-bottom:2px solid var(--strong)}
.grid caption{caption-side:top;text-align:left;font-size:.85rem;color:var(--soft);padding-bottom:.4rem}
.grid th,.grid td{padding:.36rem .4rem;text-align:left;vertical-align:top}
.grid thead th{font-weight:600;font-size:.94em;border-bottom:1px solid var(--strong);vertical-align:bottom;line-height:1.3}
.grid th[scope=row]{font-weight:500;white-space:nowrap;max-width:min(22rem,42vw);overflow:hidden;text-overflow:ellipsis}
.grid.small th[scope=row],.grid.plain th[scope=row]{white-space:normal;overflow-wrap:anywhere;min-width:8rem}
.grid th[scope=row],.grid thead th:first-child{position:sticky;left:0;background:var(--ground);z-index:1}
.sortable td,.grid .num{text-align:right;white-space:nowrap}
.grid thead .num{white-space:normal}
.grid tbody tr:hover>*{background:var(--tint)}
.grid tfoot>tr:first-child>*{border-top:1px solid var(--strong);font-weight:500}
.grid tfoot>tr.less>*{border-top:1px solid var(--rule);font-size:.82em;line-height:1.4;color:var(--soft);font-weight:400;white-space:normal}
.grid .less span{display:block;white-space:nowrap}
.grid small{font-size:.86em;color:var(--soft)}
.grid .apart{border-left:1px solid var(--rule);color:var(--soft)}
.grid u{text-decoration-thickness:1.5px;text-underline-offset:.2em}
.dist.grid td,.dist.grid thead th:not(:first-child){text-align:right}
.grid.small{font-size:.82rem}
.mark{color:var(--wrong)}
.taus{margin-top:.9rem;border-top-width:1px;border-bottom:0;font-size:.86rem}
.taus.grid th,.taus.grid td{padding:.22rem .35rem}
.taus.grid tr>:first-child{padding-left:0;min-width:5rem}
.taus.grid tr>:last-child{padding-right:0}
thead button{all:unset;cursor:pointer;display:inline;font:inherit}
thead button:focus-visible{outline:2px solid var(--blue);outline-offset:2px}
thead :not(.num)>button::after,thead .num>button::before{content:'\\2195';content:'\\2195' / '';padding:0 .15em;color:var(--soft);font-weight:400;opacity:.55}
thead th[data-sort]:hover>button::before,thead th[data-sort]:hover>button::after{opacity:1}
thead th[aria-sort=ascending]>button::before,thead th[aria-sort=ascending]>button::after{content:'\\2191';content:'\\2191' / '';color:var(--ink);opacity:1}
thead th[aria-sort=descending]>button::before,thead th[aria-sort=descending]>button::after{content:'\\2193';content:'\\2193' / '';color:var(--ink);opacity:1}
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
.dataset{padding-bottom:.8rem}
.metric-view>.scroll{margin-top:1.4rem}
.dataset h3{font-size:1.15rem}
.metric-head{margin:.9rem 0 .35rem;font-size:.85rem;color:var(--soft)}
.metrics{display:flex;flex-wrap:wrap;gap:.35rem}
.metrics .metric>summary{list-style:none;cursor:pointer;font-size:.8rem;padding:.16rem .6rem;border:1px solid var(--rule);border-radius:99px;background:var(--raised)}
.metrics .metric>summary::-webkit-details-marker{display:none}
.metrics .metric>summary:hover{border-color:var(--blue);color:var(--link)}
.metrics .metric[open]{flex-basis:100%;min-width:0;order:1;margin-top:.6rem}
.metrics .metric[open]>summary{display:inline-block;background:var(--blue);border-color:var(--blue);color:#fff}
@media screen and (prefers-color-scheme:dark){.metrics .metric[open]>summary{color:#0b1116}}
#figures h3{font-size:1.3rem;font-family:var(--serif);margin-top:2.8rem}
.contents{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;margin:.2rem 0 0;font-size:.92rem}
.plots{display:grid;gap:1.6rem 1.2rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,33rem),1fr))}
.of-reliability,.of-loss,.of-reintroduction,.of-sample-size,.of-sensitivity,.of-weight-margin{grid-template-columns:minmax(0,1fr)}
figure{margin:0;min-width:0}
.plot{background:var(--raised);border:1px solid var(--rule);border-radius:8px;padding:.6rem}
.plot svg{display:block;max-width:100%;height:auto;min-width:min(34rem,100vw*2);margin:0 auto;font-family:var(--sans)}
.of-reliability svg,.of-loss svg,.of-reintroduction svg,.of-sample-size svg,.of-weight-margin svg{min-width:min(44rem,100vw*2)}
figcaption{font-size:.82rem;line-height:1.45;color:var(--soft);margin-top:.5rem;max-width:62rem;overflow-wrap:anywhere}
.file{font-family:var(--mono);font-size:.86em;color:var(--soft);margin-left:.8em;overflow-wrap:anywhere}
details.data td,details.data th{text-align:right}
${texts()}
details.data>summary,.prose>summary{cursor:pointer;font-size:.85rem;color:var(--link);margin:.35rem 0}
.prose{max-width:46rem;margin-top:1rem}
.prose p{margin:.5rem 0}
.drill{border-top:1px solid var(--rule)}
.drill:last-of-type{border-bottom:1px solid var(--rule)}
.drill>summary{cursor:pointer;padding:.6rem 0}
.drill h3{margin:1rem 0 0}
.example{border:1px solid var(--rule);border-radius:6px;background:var(--raised);margin:.4rem 0;padding:0 .9rem;min-width:0}
.example>summary{cursor:pointer;padding:.45rem 0;font-size:.88rem;overflow-wrap:anywhere}
.example[open]{padding-bottom:.8rem}
.key{color:var(--soft);margin-left:.7em}
.verdict{font-size:.78rem;margin-left:.7em;font-weight:600}
.verdict.right{color:var(--green)}
.verdict.wrong{color:var(--wrong)}
.verdict.none{color:var(--soft)}
.field{white-space:pre-wrap;overflow-wrap:anywhere;margin:.4rem 0;max-width:62rem}
.field .name{font-size:.75rem;color:var(--soft);margin-right:.5em}
.how{display:block;font-weight:400;color:var(--soft);font-size:.78rem}
.tag{font-size:.7rem;font-weight:600;color:var(--soft);border:1px solid var(--rule);border-radius:99px;padding:0 .45em;white-space:nowrap}
tr.label>th{font-weight:700}
${shades()}
.facts-list{display:grid;gap:0;margin:0 0 1.6rem;border-top:1px solid var(--rule)}
.facts-list>div{display:grid;grid-template-columns:minmax(7rem,11rem) minmax(0,1fr);gap:1rem;padding:.42rem 0;border-bottom:1px solid var(--rule);font-size:.9rem}
.facts-list dt{color:var(--soft)}
.facts-list dd{margin:0;overflow-wrap:anywhere}
.lines{font-size:.9rem;padding-left:1.2rem;overflow-wrap:anywhere}
#provenance .scroll{margin-bottom:1.4rem}
@media screen{#provenance td{min-width:7.5rem}#provenance td.num{min-width:0}#provenance td:has(.hash){min-width:18rem}}
@media screen and (max-width:34rem){.plot{mask-image:linear-gradient(to left,transparent,#000 1.6rem)}}
@media (max-width:34rem){body{font-size:15px}.grid th,.grid td{padding:.34rem .5rem}.facts-list>div{grid-template-columns:1fr;gap:0}.filters{position:static}.filters fieldset{position:static;box-shadow:none;white-space:normal;margin-top:.4rem}.bars th{font-size:.85rem}}
@page{margin:13mm 12mm}
@media print{:root{--paper:#fff;--raised:#fff;--ink:#000;--soft:#333;--rule:#bbb;--strong:#000}nav,.filters,.skip,.copier{display:none!important}body{font-size:9pt}.note,figcaption{font-size:7.5pt}main{max-width:none;padding:0}section[id]{padding-top:1.2rem}.scroll{overflow:visible;background:none}thead button::before,thead button::after{content:none!important}details.prose:not([open]){display:none}figure,.card,tr,.sortable,.status{break-inside:avoid}tfoot{display:table-row-group}h2,h3,.lead,.note,.metric-head{break-after:avoid}.lead,.note{break-inside:avoid}.contents,.metric-head,.metrics .metric:not([open]){display:none}.plots{display:block}.plots figure{margin:0 0 1rem}.of-ece,.of-temperature,.of-disagreement,.of-option-mass,.of-prompt-length{display:grid;grid-template-columns:1fr 1fr;gap:.8rem}.plot svg{min-width:0!important}.plot{padding:.2rem}details.data:not([open])>summary{list-style:none;font-size:0}details.data:not([open])>summary .file{font-size:7.5pt;margin:0}.grid{font-size:7pt}.grid th,.grid td{padding:.18rem .22rem}.cards{grid-template-columns:repeat(3,minmax(0,1fr));gap:.6rem}.card{padding:.5rem .6rem}.bars th,.taus{font-size:7.5pt}.bars td.num{font-size:9pt}.taus.grid tr>:first-child{min-width:0}}
`;

/** .n1 to .n6: tables of numbers whose first columns are text. */
function texts(): string {
  return Array.from({ length: 6 }, (_, n) => `.n${n + 1} :is(td,th):nth-child(-n+${n + 1})`)
    .join(',')
    .concat('{text-align:left!important}');
}

/** .p0 to .p10: the shading behind a probability, which a policy without inline styles needs as classes. */
function shades(): string {
  return Array.from({ length: 11 }, (_, n) => `td.p${n}{background:rgba(var(--shade),${(0.032 * n).toFixed(3)})}`).join(
    '\n',
  );
}
