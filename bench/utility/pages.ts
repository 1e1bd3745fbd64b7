import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { PageSource } from '@tollbook/utility/page/read-page'

export type Pages = { readonly from: string; readonly pages: readonly PageSource[] }

/**
 * Pages to process: an even sample of the development split of WCXB if its folder is provided
 * (`quality/README.md`), otherwise generated pages of 4 to 120 kB, which are the same in every run.
 * @param suites folder of the outside suites
 */
export async function loadPages(suites: string | undefined, count: number): Promise<Pages> {
  if (suites === undefined) return { from: 'generated', pages: writePages(count) }
  const folder = join(suites, 'web-content-extraction-benchmark', 'dev', 'html')
  const files = (await readdir(folder)).sort()
  const every = Math.max(1, Math.floor(files.length / count))
  const sample = files.filter((_, at) => at % every === 0).slice(0, count)
  const bodies = await Promise.all(sample.map((file) => readFile(join(folder, file))))
  return { from: 'WCXB dev', pages: bodies.map((body, at) => toPage(at, gunzipSync(body))) }
}

function toPage(at: number, body: Uint8Array): PageSource {
  return { url: `https://example.com/pages/${at}`, contentType: 'text/html; charset=utf-8', body }
}

/**
 * Pages with navigation, prose, tables, code, images, forms and a footer, each larger than the previous
 * one, up to 30 times.
 */
export function writePages(count: number): PageSource[] {
  return Array.from({ length: count }, (_, at) => toPage(at, Buffer.from(writePage(at))))
}

const WORDS = (
  'tide harbour wall storm market stone council fishermen water moon sun basin port century bread bakery metre ' +
  'raised flooded asked paid held opened rises falls pulls stands the a of and in for with after until every their'
).split(' ')
const SECTIONS_AT_MOST = 30

function writePage(seed: number): string {
  const next = createDice(seed)
  const sections = 1 + (seed % SECTIONS_AT_MOST)
  const sentence = () => {
    const words = Array.from({ length: 8 + next(16) }, () => WORDS[next(WORDS.length)])
    return `${words.join(' ').replace(/^./, (letter) => letter.toUpperCase())}.`
  }
  const prose = (many: number) => Array.from({ length: many }, sentence).join(' ')
  const section = (_: unknown, at: number) => `<section><h2 id="s${at}">${sentence()}</h2>
    <p>${prose(5)} <a href="/pages/${next(99)}">${sentence()}</a></p><p class="note">${prose(4)}</p>
    <figure><img src="/p/${at}.jpg" ${at % 3 === 0 ? '' : `alt="${sentence()}"`}><figcaption>${sentence()}</figcaption></figure>
    ${at % 4 === 0 ? `<table><tr><th>Port<th>Height</tr>${'<tr><td>Saint-Malo<td>12.1</tr>'.repeat(8)}</table>` : ''}
    ${at % 5 === 0 ? '<pre><code class="language-js">const tide = moon + sun\n</code></pre>' : ''}
    <ul>${'<li>Spring tide</li><li>Neap tide</li>'.repeat(3)}</ul></section>`
  const menu = Array.from(
    { length: 24 },
    (_, at) => `<li><a href="/m/${at}">${WORDS[next(WORDS.length)]}</a></li>`,
  )
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${sentence()}</title>
    <meta name="description" content="${prose(2)}"><meta property="og:title" content="${sentence()}">
    <link rel="canonical" href="/pages/${seed}"><style>.note { color: #777; background: #fff } .menu li { display: inline }</style>
    <script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","headline":"Tides"}</script></head>
    <body><header><nav class="menu"><ul>${menu.join('')}</ul></nav></header><main><article><h1>${sentence()}</h1>
    ${Array.from({ length: sections }, section).join('')}</article></main>
    <aside><h3>Related</h3><ul>${menu.join('')}</ul></aside>
    <form><input type="email" placeholder="you@example.com"><button>Subscribe</button></form>
    <footer><p>Copyright. All rights reserved.</p></footer></body></html>`
}

/** Numbers below a bound; a seed gives the same numbers in every run (Numerical Recipes, section 7.1). */
function createDice(seed: number): (below: number) => number {
  let state = seed + 1
  return (below) => {
    state = (1_664_525 * state + 1_013_904_223) % 2 ** 32
    return Math.floor((state / 2 ** 32) * below)
  }
}
