import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { readSitemap } from './read-sitemap.ts'

const read = (text: string) => readSitemap(new TextEncoder().encode(text))

/** The example of https://www.sitemaps.org/protocol.html, with an image by Google's extension. */
const SITEMAP = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <url><loc>http://www.example.com/</loc><lastmod>2005-01-01</lastmod></url>
  <url><loc> http://www.example.com/catalog?item=12&amp;desc=vacation_hawaii </loc>
  <image:image><image:loc>http://www.example.com/image.jpg</image:loc></image:image></url></urlset>`

test('the pages of a sitemap are read, not its images', () => {
  const pages = ['http://www.example.com/', 'http://www.example.com/catalog?item=12&desc=vacation_hawaii']
  assert.deepEqual(read(SITEMAP), { pages, sitemaps: [] })
  assert.deepEqual(readSitemap(gzipSync(SITEMAP)), { pages, sitemaps: [] })
})

test('a sitemap index lists sitemaps', () => {
  const { pages, sitemaps } = read(
    '<sitemapindex><sitemap><loc>https://example.com/1.xml.gz</loc></sitemap></sitemapindex>',
  )
  assert.deepEqual([pages, sitemaps], [[], ['https://example.com/1.xml.gz']])
})

test('feeds list the pages of their entries', () => {
  const rss =
    '<rss><channel><link>https://example.com/</link><item><link>https://example.com/1</link></item></channel></rss>'
  assert.deepEqual(read(rss).pages, ['https://example.com/1'])
  const atom = `<feed><link href="https://example.com/"/><entry><link rel="self" href="https://example.com/2.xml"/>
    <link href="https://example.com/2"/></entry></feed>`
  assert.deepEqual(read(atom).pages, ['https://example.com/2'])
})

test('a text file has one URL per line, and comments', () => {
  const text = '# docs\r\nhttps://example.com/1 # first\n\n  https://example.com/2#part\n'
  assert.deepEqual(read(text).pages, ['https://example.com/1', 'https://example.com/2#part'])
})

test('a file that would decompress to more than 50 MB is rejected', () => {
  assert.throws(() => readSitemap(gzipSync(Buffer.alloc(51 * 1024 * 1024))), { code: 'ERR_BUFFER_TOO_LARGE' })
})
