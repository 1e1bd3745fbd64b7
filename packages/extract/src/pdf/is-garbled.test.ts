import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writePdf } from '@tollbook/testing/write-pdf'
import { isGarbled } from './is-garbled.ts'
import { readPdf } from './read-pdf.ts'

const TEXT = 'The pilot comes on board before the harbour is in sight, and leaves it after the last buoy.'

/** As a font without a map shows it: the numbers of its glyphs, of which the space is 3. */
const shift = (text: string) => [...text].map((char) => String.fromCharCode(char.charCodeAt(0) - 29)).join('')

async function readPage(text: string) {
  const escaped = text.replace(/[\\()]/g, '\\$&')
  const read = await readPdf(writePdf([[[72, 700, 11, escaped]]]))
  if ('refusal' in read) throw new Error(read.message)
  const [page] = read.pages
  return { isScanned: page?.isScanned, isUnreadable: page?.isUnreadable, blocks: page?.blocks.length }
}

test('a page that shows the numbers of glyphs instead of letters is left to text recognition', async () => {
  assert.deepEqual(await readPage(shift(TEXT)), { isScanned: true, isUnreadable: true, blocks: 0 })
})

test('text in other languages, capitals, numbers and part numbers are no garbled text', async () => {
  const texts = [
    TEXT,
    TEXT.toUpperCase(),
    'Der Lotse kommt an Bord, bevor der Hafen in Sicht ist, und geht nach der letzten Boje von Bord.',
    'XK-4471 QF-8820 ZZ-1007 BX-5512 KW-9981 JJ-3324 VX-1176 QK-2209 WZ-4410 XX-7781',
    '12.50 13.75 99.10 1,204.00 18.20 44.10 12.50 13.75 99.10 1,204.00 18.20 44.10',
    'PHONE: +1 555 010 4477; FAX: +1 555 010 4478; IBAN DE89 3704 0044 0532 0130 00; BIC COBADEFFXXX',
  ]
  for (const text of texts)
    assert.deepEqual(await readPage(text), { isScanned: false, isUnreadable: false, blocks: 1 }, text)
})

test('characters that a font does not map are text if they look like it', () => {
  const style = { size: 11, isBold: false, isItalic: false, isMono: false, isHidden: false, turns: 0 }
  const place = { left: 0, right: 9, baseline: 0, href: null, isSpaced: true }
  const words = (text: string) => text.split(' ').map((word) => ({ ...style, ...place, text: word }))
  assert.equal(isGarbled(words(TEXT), 1), false)
  const other = [...TEXT].map((char) =>
    /\w/.test(char) ? String.fromCodePoint((char.codePointAt(0) ?? 0) + 0xd000) : char,
  )
  assert.equal(isGarbled(words(other.join('')), 1), true)
  assert.equal(isGarbled(words(other.join('')), 0), false)
})
