import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeObjects } from '@tollbook/testing/write-pdf'
import { writeMarkdown } from '../document/write-markdown.ts'
import { readPdf } from './read-pdf.ts'

type Text = readonly [x: number, y: number, text: string]

/** A page of operators that draw lines and boxes, and of texts in Helvetica of 10 points. */
async function readPage(shapes: readonly string[], texts: readonly Text[]): Promise<string> {
  const lines = texts.map(([x, y, text]) => `BT /F 10 Tf ${x} ${y} Td (${text}) Tj ET`)
  const content = [...shapes, '0 g', ...lines].join('\n')
  const read = await readPdf(
    writeObjects([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ]),
  )
  if ('refusal' in read) throw new Error(read.message)
  return writeMarkdown(read.pages.flatMap(({ blocks }) => blocks)).trim()
}

test('a table in lines has one row for each of its cells, also if a cell has two lines or none', async () => {
  const across = [700, 680, 650, 630].map((y) => `50 ${y} m 250 ${y} l S`)
  const down = [50, 120, 180, 250].map((x) => `${x} 630 m ${x} 700 l S`)
  const markdown = await readPage(
    [...across, ...down],
    [
      [50, 720, 'Ships of the last year:'],
      [52, 686, 'Port'],
      [122, 686, 'Ships'],
      [182, 686, 'Note'],
      [52, 666, 'Port of'],
      [52, 654, 'Spain'],
      [122, 660, '12'],
      [182, 660, 'busy'],
      [52, 636, 'Oslo'],
      [182, 636, 'calm'],
    ],
  )
  assert.equal(
    markdown,
    `Ships of the last year:

| Port | Ships | Note |
| --- | --- | --- |
| Port of Spain | 12 | busy |
| Oslo |  | calm |`,
  )
})

test('a cell that spans columns has its text in the first of them', async () => {
  const across = [700, 680, 660, 640].map((y) => `50 ${y} m 250 ${y} l S`)
  const down = [50, 150, 250].map((x) => `${x} 640 m ${x} ${x === 150 ? 680 : 700} l S`)
  const markdown = await readPage(
    [...across, ...down],
    [
      [120, 686, 'Both halves'],
      [52, 666, 'first'],
      [152, 666, 'second'],
      [52, 646, '1'],
      [152, 646, '2'],
    ],
  )
  assert.equal(markdown, '| Both halves |  |\n| --- | --- |\n| first | second |\n| 1 | 2 |')
})

test('rows without a background belong to the table whose other rows have one', async () => {
  const stripe = (y: number) => [50, 250, 400].map((x) => `0.9 g ${x} ${y} ${x === 50 ? 200 : 150} 20 re f`)
  const markdown = await readPage(
    [...stripe(680), ...stripe(640)],
    [
      [130, 706, 'Port'],
      [310, 706, 'Ships'],
      [460, 706, 'Crew'],
      ...['Bergen', 'Oslo', 'Kiel', 'Hull'].flatMap((port, at): Text[] => [
        [52, 686 - 20 * at, port],
        [252, 686 - 20 * at, String(at + 1)],
        [402, 686 - 20 * at, String(at + 5)],
      ]),
    ],
  )
  assert.equal(
    markdown,
    `| Port | Ships | Crew |
| --- | --- | --- |
| Bergen | 1 | 5 |
| Oslo | 2 | 6 |
| Kiel | 3 | 7 |
| Hull | 4 | 8 |`,
  )
})

test('cells next to each other are apart where the page draws the spaces between words', async () => {
  const cells = (y: number, first: string, second: string): Text[] => [
    [50, y, first],
    // New Haven is 51.7 points wide: 3.3 points of space.
    [105, y, second],
  ]
  const markdown = await readPage(
    [],
    [
      [50, 740, 'Ships of the last year, by port:'],
      ...cells(700, 'Port', 'Ships'),
      ...cells(686, 'New Haven', '12'),
      ...cells(672, 'St. Ives', '7'),
    ],
  )
  assert.match(
    markdown,
    /\| Port \| Ships \|\n\| --- \| --- \|\n\| New Haven \| 12 \|\n\| St\. Ives \| 7 \|$/,
  )
})

test('a frame around text is no table', async () => {
  const markdown = await readPage(
    ['50 600 300 100 re S', '60 610 280 80 re S'],
    [
      [70, 670, 'High water is at noon, and low water in the evening.'],
      [70, 656, 'The pilot comes on board before.'],
    ],
  )
  assert.equal(
    markdown,
    'High water is at noon, and low water in the evening. The pilot comes on board before.',
  )
})
