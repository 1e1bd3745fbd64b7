import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { ServedPage } from '@tollbook/testing/servers/serve-pages'

const page = (body: string) =>
  `<!doctype html><html lang="en"><head><title>Worst</title></head><body>${body}</body></html>`
const html = (body: string, headers = {}): ServedPage => ({ body, headers })
const MEGABYTE = 1_000_000
const SQUARES = Array.from(
  { length: 700 },
  (_, at) => `.a${at} .b > i:not(.c)~b{color:#${100 + (at % 900)}}`,
).join('')

/**
 * Pages designed to stall a service; each name says how. Their sizes are just inside or just outside the
 * limits.
 */
export function writeWorstPages(): Readonly<Record<string, ServedPage>> {
  const zeros = Buffer.alloc(200 * MEGABYTE)
  return {
    'elements in one another, 20,000': html(page('<div>'.repeat(20_000))),
    'elements in one another, 500': html(page(`${'<div><p>deep '.repeat(250)}`)),
    'a table of 140,000 nodes': html(
      page(`<table>${`<tr>${'<td>1'.repeat(50)}</tr>`.repeat(1_370)}</table>`),
    ),
    'a table of cells in cells': html(page('<table><tr><td>'.repeat(120))),
    'five megabytes of one word': html(page(`<p>${'a'.repeat(4.9 * MEGABYTE)}</p>`)),
    'five megabytes of white space': html(page(`<p>${' '.repeat(4.9 * MEGABYTE)}x</p>`)),
    'a comment that never ends': html(page(`<!--${'-'.repeat(2 * MEGABYTE)}`)),
    'an attribute of a megabyte': html(page(`<img alt="${'a '.repeat(MEGABYTE / 2)}" src="x.png">`)),
    'a hundred thousand attributes': html(
      page(`<p ${Array.from({ length: 100_000 }, (_, at) => `a${at}=1`).join(' ')}>x</p>`),
    ),
    'punctuation that patterns try again and again': html(
      page(`<p>${'((((a.a.a.a!!!! '.repeat(60_000)}</p>`),
    ),
    'marks of Markdown': html(page(`<p>${'*_`[]()#>-+.!|\\'.repeat(60_000)}</p>`)),
    'addresses that almost are': html(
      page(`<p>${'a@'.repeat(200_000)}</p><a href="${'http:/'.repeat(50_000)}">x</a>`),
    ),
    'selectors times elements': html(
      `<style>${SQUARES}</style>${page('<p class="a1"><b class="b"><i>x</i></b>'.repeat(9_000))}`,
    ),
    'sentences, 60,000': html(
      page(`<p>${'The wall was raised after the storm of that year. '.repeat(60_000)}</p>`),
    ),
    'gzip of 200 MB': { headers: { 'content-encoding': 'gzip' }, body: gzipSync(zeros) },
    'brotli of 200 MB': { headers: { 'content-encoding': 'br' }, body: brotliCompressSync(zeros) },
    'JSON-LD in itself': html(
      page(`<script type="application/ld+json">${'{"a":['.repeat(100_000)}</script>`),
    ),
  }
}
