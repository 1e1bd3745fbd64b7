import { gunzipSync } from 'node:zlib'
import { Parser } from 'htmlparser2'

export type Sitemap = {
  /** Pages, in order. */
  readonly pages: readonly string[]
  readonly sitemaps: readonly string[]
}

/** https://www.sitemaps.org/protocol.html: 50 MB uncompressed. */
export const MAX_SITEMAP_BYTES = 50 * 1024 * 1024

/**
 * Reads a sitemap or a sitemap index, compressed or not, an Atom or RSS feed, or a text file with one URL per
 * line.
 * @throws Error if it cannot be decompressed, or is then larger than 50 MB.
 */
export function readSitemap(bytes: Uint8Array): Sitemap {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
  const plain = isGzip ? gunzipSync(bytes, { maxOutputLength: MAX_SITEMAP_BYTES }) : bytes
  const text = new TextDecoder().decode(plain)
  return /^\s*</.test(text) ? readXml(text) : { pages: readLines(text), sitemaps: [] }
}

/** One URL per line; text after a `#` at the beginning of a line or after a space is a comment. */
function readLines(text: string): string[] {
  return text
    .split(/\r\n?|\n/)
    .map((line) => line.replace(/(?:^|\s)#.*$/, '').trim())
    .filter((line) => line !== '')
}

const PAGES = new Set(['url', 'item', 'entry'])

function readXml(text: string): Sitemap {
  const pages: string[] = []
  const sitemaps: string[] = []
  const path: string[] = []
  let words = ''
  const take = (url: string) => {
    const parent = path.at(-2) ?? ''
    if (url === '') return
    if (parent === 'sitemap') sitemaps.push(url)
    else if (PAGES.has(parent)) pages.push(url)
  }
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const local = name.replace(/^.*:/, '')
        path.push(local)
        words = ''
        const isMain = attributes.rel === undefined || attributes.rel === 'alternate'
        if (local === 'link' && isMain && path.at(-2) === 'entry') take(attributes.href ?? '')
      },
      ontext(piece) {
        words += piece
      },
      onclosetag(name) {
        // Prefixed names belong to images and videos of a page.
        if (name === 'loc' || (name === 'link' && path.at(-2) === 'item')) take(words.trim())
        path.pop()
        words = ''
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  parser.end(text)
  return { pages, sitemaps }
}
