import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PdfLine, writeObjects, writePdf } from '@tollbook/testing/write-pdf'
import { writeText } from '../document/write-text.ts'
import { readPdf } from './read-pdf.ts'

async function readLine(bytes: Buffer): Promise<string> {
  const read = await readPdf(bytes)
  if ('refusal' in read) throw new Error(read.message)
  return read.pages.map(({ blocks }) => writeText(blocks).trim()).join('\n')
}

const readLines = (...lines: PdfLine[]) => readLine(writePdf([lines]))

test('an accent that is drawn over a letter becomes part of it', async () => {
  // Helvetica at 100: N 72.2, o 55.6, e 55.6, the dieresis (octal 310) 33.3 wide.
  const name = [
    [50, 600, 100, 'No'],
    [177.8, 600, 100, 'e'],
    [189, 600, 100, '\\310'],
    [233.4, 600, 100, 'l'],
  ] as const
  assert.equal(await readLines(...name), 'Noël')
  // As TeX does it: the accent precedes its letter, here the dotless i (octal 365, 27.8 wide).
  assert.equal(
    await readLines(
      [50, 600, 100, 'na'],
      [158.5, 600, 100, '\\310'],
      [161.2, 600, 100, '\\365'],
      [189, 600, 100, 've'],
    ),
    'naïve',
  )
})

test('words that are drawn twice for a bold look are read once, and words that recur each time', async () => {
  const words = 'the oldest harbour of this coast was built from black oak'.split(' ')
  const draw = (x: number) => words.map((word, at): PdfLine => [x, 700 - 14 * at, 11, word])
  assert.equal(await readLines(...draw(72), ...draw(72.4)), words.join(' '))
  assert.equal(await readLines([72, 700, 11, 'tide by tide']), 'tide by tide')
})

test('the raised number of a footnote is no part of the word after it, but of the word before it', async () => {
  assert.equal(await readLines([72, 704, 6, '1'], [75.4, 700, 11, 'Preliminary']), '1 Preliminary')
  assert.equal(await readLines([72, 700, 11, 'built'], [92.2, 704, 6, '12']), 'built12')
})

test('the values of a form and the text of notes on the page are read, and hidden ones are not', async () => {
  const appearance = (text: string) => {
    const body = `BT /F 11 Tf 2 4 Td (${text}) Tj ET`
    return `<< /Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources << /Font << /F 5 0 R >> >>
      /Length ${body.length} >>\nstream\n${body}\nendstream`
  }
  const annotation = (type: string, y: number, form: number, more = '') =>
    `<< /Type /Annot /Subtype /${type} /Rect [72 ${y} 272 ${y + 20}] /AP << /N ${form} 0 R >> ${more} >>`
  const contents = 'BT /F 11 Tf 72 740 Td (Applicant) Tj ET'
  const form = writeObjects([
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R 8 0 R] >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Annots [6 0 R 7 0 R 8 0 R 9 0 R]
      /Resources << /Font << /F 5 0 R >> >> >>`,
    `<< /Length ${contents.length} >>\nstream\n${contents}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    annotation('Widget', 700, 10, '/FT /Tx /T (name) /V (Ada Lovelace) /F 4'),
    annotation('FreeText', 660, 11, '/Contents (Approved in May) /F 4'),
    annotation('Widget', 620, 12, '/FT /Tx /T (secret) /V (hidden value) /F 2'),
    `<< /Type /Annot /Subtype /Link /Rect [72 736 140 752] /Border [0 0 0]
      /A << /S /URI /URI (https://example.org/form) >> >>`,
    appearance('Ada Lovelace'),
    appearance('Approved in May'),
    appearance('hidden value'),
  ])
  assert.equal(await readLine(form), 'Applicant\n\nAda Lovelace\n\nApproved in May')
  const read = await readPdf(form)
  assert.match(JSON.stringify(read), /"href":"https:\/\/example.org\/form"/)
})

test('a slanted watermark and the lines of a mirrored page are whole words in their order', async () => {
  const lines = (matrix: string) =>
    `BT /F 20 Tf ${matrix} Tm 24 TL (Not to be copied) Tj T* (by the crew) Tj ET`
  const draw = (content: string) =>
    readLine(
      writeObjects([
        '<< /Type /Catalog /Pages 2 0 R >>',
        '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
        '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      ]),
    )
  // Cosine and sine of 37 degrees.
  assert.equal(await draw(lines('0.7986 0.6018 -0.6018 0.7986 100 300')), 'Not to be copied by the crew')
  assert.equal(await draw(lines('-1 0 0 1 400 300')), 'Not to be copied by the crew')
  // Sheared: the line falls by 0.5, and its letters stay upright.
  assert.equal(await draw(lines('1 -0.5 0 1 100 500')), 'Not to be copied by the crew')
  const body = 'BT /F 11 Tf 72 600 Td (High water is at noon, and low water in the evening.) Tj ET'
  const page = await draw(`${body} ${lines('0.7986 0.6018 -0.6018 0.7986 100 500')}`)
  assert.deepEqual(page.split(/\n+/), [
    'High water is at noon, and low water in the evening.',
    'Not to be copied by the crew',
  ])
})

test('Hebrew that is drawn from left to right is read from its right end, with names and numbers as they are', async () => {
  const content = 'BT /F 11 Tf 72 700 Td (.2026 i PDF !hg \\(fed\\) cba) Tj ET'
  // The letters a to i are those of the Hebrew alphabet from U+05D0 on.
  const map = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap
1 begincodespacerange <00> <FF> endcodespacerange
2 beginbfrange <20> <60> <0020> <61> <69> <05D0> endbfrange
endcmap end end`
  const page = writeObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>',
    `<< /Length ${map.length} >>\nstream\n${map}\nendstream`,
  ])
  assert.equal(await readLine(page), 'אבג (דהו) זח! PDF ט 2026.')
})
