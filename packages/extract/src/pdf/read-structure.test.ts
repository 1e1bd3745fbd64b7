import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeObjects } from '@tollbook/testing/write-pdf'
import { writeMarkdown } from '../document/write-markdown.ts'
import { readPdf } from './read-pdf.ts'

type Text = readonly [x: number, y: number, size: number, text: string, font?: 'F' | 'C']

/** Pages of texts in Helvetica (`F`) or Courier (`C`), and of shapes. */
async function readPages(pages: readonly (readonly Text[])[], shapes = ''): Promise<string[]> {
  const contents = pages.map((texts) => {
    const lines = texts.map(
      ([x, y, size, text, font = 'F']) => `BT /${font} ${size} Tf ${x} ${y} Td (${text}) Tj ET`,
    )
    return `${shapes}\n${lines.join('\n')}`
  })
  const read = await readPdf(
    writeObjects([
      '<< /Type /Catalog /Pages 2 0 R >>',
      `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `${5 + 2 * at} 0 R`).join(' ')}] >>`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
      '<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>',
      ...contents.flatMap((content, at) => [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${6 + 2 * at} 0 R
           /Resources << /Font << /F 3 0 R /C 4 0 R >> >> >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ]),
    ]),
  )
  if ('refusal' in read) throw new Error(read.message)
  return read.pages.map(({ blocks }) => writeMarkdown(blocks).trim())
}

test('items of lists are nested by where their text begins, also behind bullets that are drawn', async () => {
  const [markdown] = await readPages(
    [
      [
        [60, 700, 10, '1.'],
        [74, 700, 10, 'Stone walls'],
        [94, 686, 10, 'of granite, which ships bring from the north, and of slate, which they'],
        [94, 672, 10, 'do not'],
        [94, 658, 10, 'of brick'],
        [60, 644, 10, '2.'],
        [74, 644, 10, 'Iron cranes'],
      ],
    ],
    '84 688 3 3 re f 84 660 3 3 re f',
  )
  assert.equal(
    markdown,
    `1. Stone walls
   - of granite, which ships bring from the north, and of slate, which they do not
   - of brick
2. Iron cranes`,
  )
})

test('code keeps its indentation, the spaces within a line and its empty lines', async () => {
  // Courier at 10 points: 6 points a character.
  const [markdown] = await readPages([
    [
      [50, 740, 11, 'The following loop reads each tide of the year, and writes it to the table:'],
      [50, 700, 10, 'for tide in year:', 'C'],
      [74, 688, 10, 'level = tide    # in metres', 'C'],
      [74, 664, 10, 'if level:', 'C'],
      [98, 652, 10, 'write[level]', 'C'],
    ],
  ])
  assert.equal(
    markdown,
    `The following loop reads each tide of the year, and writes it to the table:

\`\`\`
for tide in year:
    level = tide    # in metres

    if level:
        write[level]
\`\`\``,
  )
})

test('exponents and indices are not digits of their base, and superscripts of Unicode stay', async () => {
  // Widths of Helvetica at 20 points: digits 11.1, m 16.7, c 10, H 14.4.
  assert.deepEqual(
    await readPages([
      [
        [50, 700, 20, '10'],
        [72.2, 707, 12, '6'],
        [90, 700, 20, 'mc'],
        [116.7, 707, 12, '2'],
        [140, 700, 20, '101'],
        [173.4, 696, 12, '2'],
        [200, 700, 20, 'H'],
        [214.4, 696, 12, '2'],
        [221.1, 700, 20, 'O'],
        [250, 700, 20, 'm\\262'],
      ],
    ]),
    ['10^6 mc^2 101_2 H2O m²'],
  )
})

test('a table that goes on at the top of the next page is one table, with one head', async () => {
  const row = (y: number, port: string, ships: string): Text[] => [
    [50, y, 10, port],
    [200, y, 10, ships],
  ]
  const pages = await readPages([
    [
      [50, 740, 10, 'Ships of the last year, by port, without those of the navy and of fishermen.'],
      ...row(700, 'Port', 'Ships'),
      ...row(686, 'Bergen', '12'),
      ...row(672, 'Oslo', '7'),
    ],
    [
      ...row(700, 'Port', 'Ships'),
      ...row(686, 'Kiel', '3'),
      ...row(672, 'Hull', '4'),
      [50, 620, 10, 'Source: the harbour masters.'],
    ],
  ])
  assert.deepEqual(pages, [
    `Ships of the last year, by port, without those of the navy and of fishermen.

| Port | Ships |
| --- | --- |
| Bergen | 12 |
| Oslo | 7 |
| Kiel | 3 |
| Hull | 4 |`,
    'Source: the harbour masters.',
  ])
})
