/** Colours as `[light, dark]`; style.test.ts checks every pair of text and background against WCAG AA. */
export const COLORS = {
  ground: ['#fbfaf7', '#131412'],
  panel: ['#ffffff', '#1b1d1a'],
  ink: ['#1d1c19', '#ecebe6'],
  muted: ['#5d594f', '#aaa79c'],
  line: ['#e0dbcf', '#34362f'],
  passing: ['#0b6e5b', '#4fc7a5'],
  reported: ['#c3d6cd', '#37554a'],
  edge: ['#5f8a7a', '#6f9e8d'],
  link: ['#0a5f4f', '#63d2b1'],
  mark: ['#7a4b00', '#e6b45c'],
} as const

const declare = (side: 0 | 1) =>
  Object.entries(COLORS)
    .map(([name, pair]) => `--${name}:${pair[side]}`)
    .join(';')

/** The one stylesheet of all pages of every service: light and dark, from 320 px up, without external fonts or images. */
export function renderStyle(): string {
  return `:root{color-scheme:light dark;${declare(0)}}
@media(prefers-color-scheme:dark){:root{${declare(1)}}}
*{box-sizing:border-box}
html{font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);overflow-wrap:break-word}
.wrap{max-width:64rem;margin:0 auto;padding:0 1.25rem}
a{color:var(--link);text-underline-offset:.18em;text-decoration-thickness:1px}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:3px solid var(--passing);outline-offset:2px;border-radius:3px}
.skip{position:absolute;left:-999rem}
.skip:focus{left:1rem;top:.5rem;background:var(--panel);padding:.5rem 1rem;z-index:1}
header.site{border-bottom:1px solid var(--line);background:var(--panel)}
header.site .wrap{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1.5rem;padding-top:.7rem;padding-bottom:.7rem}
.brand{font-weight:700;color:var(--ink);text-decoration:none;letter-spacing:-.01em;display:inline-flex;align-items:center;gap:.5rem}
.brand img{display:block}
header.site nav{display:flex;gap:1.1rem;flex:1}
form.search{display:flex;gap:.4rem;flex:0 1 24rem}
input,button,select{font:inherit;color:inherit;background:var(--ground);border:1px solid var(--muted);border-radius:6px;padding:.35rem .65rem;min-height:2.5rem}
input{width:100%;min-width:0}
.fields{display:grid;gap:.35rem}
.fields label{font-weight:600;margin-top:.6rem}
.fields small{display:block;font-weight:400}
.fields textarea{field-sizing:fixed}
.fields textarea:not(.mono){font:inherit}
.fields button+button{background:var(--panel);color:var(--link);border-color:var(--muted)}
blockquote{margin:.6rem 0;overflow-wrap:anywhere}
input::placeholder{color:var(--muted);opacity:1}
button{background:var(--passing);border-color:var(--passing);color:var(--ground);font-weight:600;cursor:pointer}
button[aria-disabled=true]{opacity:.6;cursor:default}
main.wrap{padding-top:2rem;padding-bottom:3rem}
.rank{color:var(--muted)}
h1{text-wrap:balance;font-size:clamp(1.6rem,4.5vw,2.3rem);line-height:1.15;letter-spacing:-.02em;margin:0 0 .4rem;overflow-wrap:anywhere}
h2{font-size:1.2rem;letter-spacing:-.01em;margin:2.6rem 0 .8rem}
p{margin:.5rem 0}
.lead{font-size:1.12rem;max-width:56rem}
.claim{border-left:4px solid var(--passing);padding:.15rem 0 .15rem 1rem;font-size:clamp(1.1rem,2.6vw,1.3rem);line-height:1.45}
.intro{max-width:46rem;color:var(--muted)}
.intro strong{color:var(--ink)}
.note{max-width:56rem;color:var(--muted);font-size:.94rem}
.note.mark{color:var(--mark);border:1px solid currentColor;border-radius:8px;background:var(--panel);padding:.55rem .9rem;margin-bottom:1.4rem}
.muted,small,caption{color:var(--muted)}
small{font-size:.875rem}
code,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.92em;overflow-wrap:anywhere}
.chips{display:flex;flex-wrap:wrap;gap:.5rem;padding:0;margin:.8rem 0 1.2rem;list-style:none}
.chips li{border:1px solid var(--line);background:var(--panel);border-radius:99px;padding:.15rem .75rem;font-size:.9rem}
.chips .mark{color:var(--mark);border-color:currentColor}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(13.5rem,44%),1fr));gap:1rem;margin:1.4rem 0;padding:0;list-style:none}
.cards li{background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:1rem 1.15rem}
.cards .label{display:block;color:var(--muted);font-size:.9rem}
.cards .value{display:block;font-size:1.75rem;font-weight:700;letter-spacing:-.02em;line-height:1.25;font-variant-numeric:tabular-nums}
.cards .of{display:block;color:var(--muted);font-size:.95rem;font-variant-numeric:tabular-nums}
.cards .of strong{color:var(--ink);font-weight:600}
.cards .share{margin-top:.7rem;height:.55rem}
.panel{background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:1rem 1.15rem}
.tabs{display:flex;flex-wrap:wrap;gap:.4rem;padding:0;margin:.5rem 0;list-style:none}
.tabs a{display:inline-block;border:1px solid var(--line);background:var(--panel);border-radius:99px;padding:.3rem .9rem;font-size:.92rem;text-decoration:none}
.tabs a:hover{border-color:currentColor}
.tabs a[aria-current]{background:var(--passing);border-color:var(--passing);color:var(--ground);font-weight:600}
.weeks{margin:1.2rem 0}
.bare{padding:0;margin:0;list-style:none}
.figures{font-variant-numeric:tabular-nums}
.money{display:grid;grid-template-columns:1fr 1fr;gap:.2rem 1.5rem;margin:1.4rem 0 1rem;padding:1.2rem 1.35rem}
.money p{margin:0}
.money .key,.money .of{color:var(--muted);font-size:.95rem}
.money .value{display:block;font-size:clamp(1.7rem,6.5vw,3rem);font-weight:700;letter-spacing:-.03em;line-height:1.15;font-variant-numeric:tabular-nums}
.money .real,.cards .real{color:var(--passing)}
.money .whole{grid-column:1/-1;margin-top:.7rem}
.money .share{height:.8rem;margin-bottom:.45rem}
figure{margin:0}
figcaption{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;font-size:.9rem;color:var(--muted);margin-bottom:.6rem}
.key::before{content:"";display:inline-block;width:.8em;height:.8em;border-radius:2px;margin-right:.45em;background:var(--reported);border:1px solid var(--edge);vertical-align:-.05em}
.key.passing::before{background:var(--passing);border-color:var(--passing)}
.key.line::before{width:.25em;height:1em;border:0;background:var(--ink);vertical-align:-.15em}
.key.dot::before{border-radius:99px}
.key.mark::before{width:0;height:0;background:none;border:.4em solid transparent;border-top:.7em solid var(--mark);border-bottom:0;border-radius:0;vertical-align:0}
.chart{display:block;width:100%;height:auto;}
.chart text{fill:var(--muted);font:19px system-ui,sans-serif;font-variant-numeric:tabular-nums}
.chart .grid{stroke:var(--line)}
.chart .reported{fill:var(--reported);stroke:var(--edge);stroke-width:1px;vector-effect:non-scaling-stroke}
.chart .passing{fill:var(--passing)}
.chart .median{fill:var(--ink)}
.chart .dot{stroke:var(--panel);stroke-width:2px}
.chart .listed{fill:var(--mark)}
.chart .day:hover .hover{fill:var(--line);fill-opacity:.5}
table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums}
caption{text-align:left;font-size:.9rem;padding-bottom:.5rem}
th,td{text-align:left;padding:.55rem .8rem .55rem 0;border-bottom:1px solid var(--line);vertical-align:top}
thead th{vertical-align:bottom;font-size:.85rem;font-weight:600;color:var(--muted);white-space:nowrap}
thead th a{color:inherit}
tbody th{font-weight:600;overflow-wrap:anywhere}
.num{text-align:right}
td.real{color:var(--passing);font-weight:650}
.num+td:not(.num),.num+th.plain{padding-left:.8rem}
.listings .num{width:5.5rem}
.rest{display:block;color:var(--muted);font-size:.85rem;font-weight:400}
tr:last-child>*{border-bottom:0}
.share{display:block;width:100%;min-width:4.5rem;height:.4rem;margin-top:.35rem;border-radius:99px;background:var(--reported);outline:1px solid var(--edge);outline-offset:-1px}
.share rect{fill:var(--passing)}
.stacked{display:grid;gap:1rem}
.panel h2,.panel h3{margin:0 0 .3rem;font-size:1.05rem}
.listings th[scope=row]{width:45%;font-weight:400}
details{margin-top:.8rem}
summary{cursor:pointer;color:var(--link)}
.snippet{display:block;margin:.7rem 0}
.snippet span{display:block;font-size:.9rem;color:var(--muted);margin-bottom:.2rem}
textarea{display:block;width:100%;field-sizing:content;font:.86rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color:inherit;background:var(--ground);border:1px solid var(--muted);border-radius:6px;padding:.5rem .7rem;resize:vertical;overflow-wrap:anywhere}
.badges{display:grid;gap:.6rem;padding:0;margin:.8rem 0;list-style:none}
.badges li{display:flex;flex-wrap:wrap;align-items:center;gap:.3rem 1rem}
.badges img{max-width:100%}
pre{background:var(--ground);border:1px solid var(--line);border-radius:6px;padding:.7rem .8rem;margin:.4rem 0;white-space:pre-wrap;overflow-wrap:anywhere;user-select:all}
.links{display:flex;flex-wrap:wrap;gap:.4rem 1.4rem;padding:0;margin:.6rem 0;list-style:none}
.pages{display:flex;flex-wrap:wrap;gap:.4rem 1.5rem;margin-top:1.2rem}
h3{font-size:1.02rem;margin:1.4rem 0 .3rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.5rem 1.4rem;margin:.8rem 0}
dt{color:var(--muted)}
dd{margin:0;min-width:0;overflow-wrap:anywhere}
h2.endpoint{border-top:1px solid var(--line);padding-top:1.2rem;overflow-wrap:anywhere}
.scroll{overflow-x:auto}
#content img{max-width:100%;height:auto;background:#fff}
dd .scroll{overflow-wrap:break-word}
dd .scroll td{min-width:5.5rem}
.scroll+.scroll{margin-top:1.2em}
td.price{min-width:6.5rem}
.tag{white-space:nowrap;font-weight:600;font-size:.8em;padding:.1em .5em;border:1px solid var(--line);border-radius:4px}
.mark{color:var(--mark)}
:target{scroll-margin-top:1rem}
footer{border-top:1px solid var(--line);padding:1.4rem 0 2.5rem;color:var(--muted);font-size:.92rem}
@media(min-width:44rem){.chart text{font-size:9px}.endpoints td:has(>a>code){min-width:19rem}}
@media(max-width:43.99rem){
form.search{flex:1 1 100%}
dl{grid-template-columns:1fr;gap:0}
dd{margin-bottom:.6rem}
.cards li:last-child:nth-child(odd){grid-column:1/-1}
details th,details td{padding-right:.5rem;font-size:.9rem}
table.stack thead,.endpoints thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.endpoints tr{display:block;padding:.6em 0;border-bottom:1px solid var(--line)}
.endpoints td{display:block;padding:0;border:0}
table.ranking thead{position:static;display:block;width:auto;height:auto;clip-path:none}
table.ranking thead tr{display:flex;flex-wrap:wrap;gap:.3rem .9rem;padding-bottom:.7rem}
table.ranking thead tr::before{content:"Order by";font-size:.85rem;color:var(--muted)}
table.ranking thead th{border:0;padding:0}
table.ranking thead th:first-child{display:none}
table.stack,table.stack tbody,table.stack caption{display:block}
table.stack tbody tr{position:relative;display:grid;grid-template-columns:repeat(3,1fr);gap:.35rem 1rem;background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:.8rem 1rem;margin-bottom:.8rem}
table.stack th,table.stack td{border:0;padding:0;text-align:left;width:auto}
table.stack .rank{position:absolute;right:1rem;top:.8rem;font-size:.9rem}
table.stack .rank::before{content:"Rank "}
table.stack .rank+th{grid-column:1/-1;padding-right:5rem}
.num+td:not(.num){padding-left:0}
.share{min-width:0}
table.stack .wide{grid-column:1/-1;width:auto}
table.stack .none{display:none}
table.stack [data-label]::before{content:attr(data-label);display:block;color:var(--muted);font-size:.8rem;font-weight:400}
}
@media print{header.site nav,form.search,.skip{display:none}}
`
}
