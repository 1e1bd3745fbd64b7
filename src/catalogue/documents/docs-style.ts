/**
 * The style of a service's pages: plain, light or dark as the reader's system prefers, without external
 * resources.
 */
export const DOCS_STYLE = `
:root{color-scheme:light dark;--line:#8884;--soft:#8881;--link:#0b57d0;--mark:#8a4b00;--muted:#555}
@media (prefers-color-scheme:dark){:root{--link:#8ab4f8;--mark:#f2b866;--muted:#b5b5b5}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:60rem;padding:1.5rem 1rem 4rem;font:1rem/1.55 system-ui,sans-serif}
a{color:var(--link)}
h1{font-size:1.8rem;margin:.2em 0}
h2{margin:2.2em 0 .4em;padding-top:.6em;border-top:1px solid var(--line)}
h3{margin:1.2em 0 .3em;font-size:1rem}
code,pre{font:.9em/1.5 ui-monospace,monospace}
pre{overflow:auto;padding:.8em;background:var(--soft);border:1px solid var(--line);border-radius:6px;max-height:28rem}
.scroll{overflow-x:auto}
.scroll+.scroll{margin-top:1.2em}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.35em .7em .35em 0;border-bottom:1px solid var(--line)}
td.price{min-width:6.5rem;font-variant-numeric:tabular-nums}
.tag{white-space:nowrap;font-weight:600;font-size:.8em;padding:.1em .5em;border:1px solid var(--line);border-radius:4px}
.soft{color:var(--muted)}
.mark{color:var(--mark)}
p.mark{padding:.5em .8em;border:1px solid currentColor;border-radius:6px}
h2,td code{overflow-wrap:break-word}
@media (max-width:45rem){
.endpoints thead{position:absolute;clip-path:inset(50%)}
.endpoints tr{display:block;padding:.6em 0;border-bottom:1px solid var(--line)}
.endpoints td{display:block;padding:0;border:0}
}
:target{scroll-margin-top:1rem}
`
