import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PdfLine, writePdf } from '@tollbook/testing/write-pdf'
import { writeMarkdown } from '../document/write-markdown.ts'
import { drawPdfPage } from './draw-pdf-page.ts'
import { type PdfLimits, parsePdfDate, readPdf } from './read-pdf.ts'

async function read(bytes: Uint8Array, limits?: PdfLimits) {
  const document = await readPdf(bytes, limits)
  if ('refusal' in document) throw new Error(document.message)
  return document
}

async function readMarkdown(...pages: readonly (readonly PdfLine[])[]): Promise<string[]> {
  const { pages: all } = await read(writePdf(pages))
  return all.map(({ blocks }) => writeMarkdown(blocks).trim())
}

test('headings, paragraphs over several lines, hyphens and lists become blocks', async () => {
  const [markdown] = await readMarkdown([
    [72, 700, 24, 'Harbours of the north'],
    [72, 670, 11, 'The oldest harbour was built of oak and has been repaired every cen-'],
    [72, 656, 11, 'tury since. Nobody knows who paid for the first of these repairs, and'],
    [72, 642, 11, 'nobody asks.'],
    [72, 610, 11, 'Later ones', 'F2'],
    [72, 590, 11, '1. Stone walls'],
    [72, 576, 11, '2. Iron cranes'],
    [72, 550, 11, 'Cranes are still in use today.'],
  ])
  assert.equal(
    markdown,
    `# Harbours of the north

The oldest harbour was built of oak and has been repaired every century since. Nobody knows who paid for the first of these repairs, and nobody asks.

## Later ones

1. Stone walls
2. Iron cranes

Cranes are still in use today.`,
  )
})

test('the left column is read before the right one, also if the page draws them line by line', async () => {
  const lines = [0, 1, 2, 3].flatMap((at): PdfLine[] => [
    [72, 600 - 14 * at, 11, `left line ${at} with several words in it`],
    [320, 600 - 14 * at, 11, `right line ${at} with several words in it`],
  ])
  const [markdown = ''] = await readMarkdown([
    [72, 640, 11, 'One line goes over both columns, from the left margin to the right one.'],
    ...lines,
  ])
  const order = [...markdown.matchAll(/(?:left|right) line \d|One line/g)].map(([found]) => found)
  const columns = ['left', 'right'].flatMap((side) => [0, 1, 2, 3].map((at) => `${side} line ${at}`))
  assert.deepEqual(order, ['One line', ...columns])
})

test('aligned columns of short cells become a table', async () => {
  const rows = [
    ['Port', 'Ships'],
    ['Bergen', '12'],
    ['Oslo', '7'],
  ]
  const [markdown] = await readMarkdown(
    rows.flatMap(([port = '', ships = ''], at): PdfLine[] => [
      [72, 600 - 14 * at, 11, port],
      [200, 600 - 14 * at, 11, ships],
    ]),
  )
  assert.equal(markdown, '| Port | Ships |\n| --- | --- |\n| Bergen | 12 |\n| Oslo | 7 |')
})

test('running headers and page numbers are left out', async () => {
  const page = (number: number): PdfLine[] => [
    [72, 760, 9, 'Annual report'],
    [72, 600, 11, `Text of part ${'abc'[number - 1]}.`],
    [72, 560, 11, 'Second paragraph.'],
    [72, 520, 11, `Third paragraph of ${'abc'[number - 1]}.`],
    [300, 30, 9, String(number)],
  ]
  const markdown = await readMarkdown(page(1), page(2), page(3))
  assert.deepEqual(
    markdown,
    ['a', 'b', 'c'].map(
      (part) => `Text of part ${part}.\n\nSecond paragraph.\n\nThird paragraph of ${part}.`,
    ),
  )
})

test('metadata, the page count and pages without text are reported, and reading stops at its limits', async () => {
  const bytes = writePdf([[[72, 700, 11, 'One']], [], [[72, 700, 11, 'Three']]])
  const document = await read(bytes, { firstPage: 2, maxPages: 1 })
  const { pages, ...head } = document
  assert.deepEqual(head, {
    title: 'A title',
    author: 'A. Writer',
    created: '2026-01-15T08:30:00.000Z',
    modified: null,
    language: 'en-GB',
    pageCount: 3,
    isCut: true,
  })
  assert.deepEqual(pages, [{ number: 2, isScanned: false, isUnreadable: false, blocks: [] }])
  const short = await read(bytes, { maxChars: 2 })
  assert.deepEqual(
    [short.pages.map(({ blocks }) => writeMarkdown(blocks).trim()), short.isCut],
    [['On'], true],
  )
})

test('dates without a zone count as UTC, and text that is no date is dropped', () => {
  assert.equal(parsePdfDate('D:2026'), '2026-01-01T00:00:00.000Z')
  assert.equal(parsePdfDate("D:20260301120000-05'30'"), '2026-03-01T17:30:00.000Z')
  assert.equal(parsePdfDate('yesterday'), null)
})

test('a page is drawn black on white, no larger than its bound', async () => {
  const bytes = writePdf([[[72, 700, 48, 'III']]])
  const image = await drawPdfPage(bytes, { page: 1, maxSide: 396 })
  if ('refusal' in image) throw new Error(image.message)
  // 612 by 792 points at half a pixel each.
  assert.deepEqual([image.width, image.height, image.rgba.length], [306, 396, 306 * 396 * 4])
  // The text is 72 points from the left and 700 to 734 from below: rows 29 to 46.
  const dark = [...image.rgba.keys()].filter((at) => at % 4 === 0 && (image.rgba[at] ?? 0) < 64)
  const rows = dark.map((at) => Math.floor(at / 4 / 306))
  assert.ok(dark.length > 30)
  assert.ok(rows.every((row) => row >= 28 && row <= 46))
  assert.deepEqual(await drawPdfPage(bytes, { page: 2 }), {
    refusal: 'no_such_page',
    message: 'The PDF has no readable page 2.',
  })
})
