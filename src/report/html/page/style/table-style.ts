/** Tables, sorted or not, and the boxes that they scroll in. */
export const TABLE_STYLE = `
table{border-collapse:separate;border-spacing:0;font-variant-numeric:tabular-nums}
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
thead button{all:unset;cursor:pointer;display:inline;font:inherit}
thead button:focus-visible{outline:2px solid var(--blue);outline-offset:2px}
thead :not(.num)>button::after,thead .num>button::before{content:'\\2195';content:'\\2195' / '';padding:0 .15em;color:var(--soft);font-weight:400;opacity:.55}
thead th[data-sort]:hover>button::before,thead th[data-sort]:hover>button::after{opacity:1}
thead .num[aria-sort=ascending]>button::before,thead [aria-sort=ascending]:not(.num)>button::after{content:'\\2191';content:'\\2191' / '';color:var(--ink);opacity:1}
thead .num[aria-sort=descending]>button::before,thead [aria-sort=descending]:not(.num)>button::after{content:'\\2193';content:'\\2193' / '';color:var(--ink);opacity:1}
details.data td,details.data th{text-align:right}
${texts()}
.how{display:block;font-weight:400;color:var(--soft);font-size:.78rem}
.tag{font-size:.7rem;font-weight:600;color:var(--soft);border:1px solid var(--rule);border-radius:99px;padding:0 .45em;white-space:nowrap}
tr.label>th{font-weight:700}
${shades()}
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
