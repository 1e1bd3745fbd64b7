import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { writeObjects, writePdf } from '@tollbook/testing/write-pdf'
import { drawPdfPage } from './draw-pdf-page.ts'
import { readPdf } from './read-pdf.ts'

const CATALOG = '<< /Type /Catalog /Pages 2 0 R >>'

function onePage(
  contents: string | Buffer,
  resources = '',
  { box = '0 0 612 792', more = [] }: { readonly box?: string; readonly more?: readonly Buffer[] } = {},
): Buffer {
  return writeObjects([
    CATALOG,
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [${box}] /Contents 4 0 R /Resources << ${resources} >> >>`,
    contents,
    `<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >> /Length 10 >>
stream
/X Do /X Do
endstream`,
    ...more,
  ])
}

function stream(body: Buffer, entries = ''): Buffer {
  return Buffer.concat([
    Buffer.from(`<< /Length ${body.length} ${entries} >>\nstream\n`),
    body,
    Buffer.from('\nendstream'),
  ])
}

async function outcomeOf(bytes: Buffer, maxMemoryBytes?: number): Promise<string | number> {
  const read = await readPdf(bytes, maxMemoryBytes ? { maxMemoryBytes } : {})
  return 'refusal' in read ? read.refusal : read.pages.length
}

test('a document that needs a password is refused as encrypted', async () => {
  const key = '00'.repeat(32)
  const entry = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${key}> /U <${key}> >> /ID [<00> <00>]`
  assert.equal(await outcomeOf(writePdf([[[72, 700, 11, 'secret']]], entry)), 'encrypted')
})

test('other bytes and a document without its end or its references are refused or recovered', async () => {
  const whole = writePdf([[[72, 700, 11, 'text']]])
  assert.equal(await outcomeOf(Buffer.from('<html>')), 'not_pdf')
  assert.equal(await outcomeOf(Buffer.from('%PDF-1.7\nnothing')), 'damaged')
  const wrong = whole.toString('latin1').replace(/startxref\n\d+/, 'startxref\n99999')
  assert.equal(await outcomeOf(Buffer.from(wrong, 'latin1')), 1)
  assert.equal(await outcomeOf(whole.subarray(0, 60)), 'damaged')
})

test('loops in the page tree and in forms end', async () => {
  const tree = writeObjects([CATALOG, '<< /Type /Pages /Count 3 /Kids [2 0 R 2 0 R 2 0 R] >>'])
  assert.equal(typeof (await outcomeOf(tree)), 'number')
  const forms = onePage(stream(Buffer.from('/X Do')), '/XObject << /X 5 0 R >>')
  assert.equal(await outcomeOf(forms, 64 * 2 ** 20), 'too_large')
})

test('a stream that unpacks to more than the memory is not read, and the process goes on', async () => {
  const packed = deflateSync(Buffer.alloc(64 * 2 ** 20, ' '))
  const twice = onePage(stream(packed, '/Filter /FlateDecode'))
  assert.ok([1, 'too_large'].includes(await outcomeOf(twice, 32 * 2 ** 20)))
  assert.equal(await outcomeOf(Buffer.concat([twice, Buffer.alloc(32 * 2 ** 20)]), 32 * 2 ** 20), 'too_large')
  assert.equal(await outcomeOf(writePdf([[]]), 32 * 2 ** 20), 1)
})

test('forms that each show the next one twice are refused', async () => {
  const form = (next: number) =>
    stream(
      Buffer.from('/X Do /X Do'),
      `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X ${next} 0 R >> >>`,
    )
  // The objects from 6 on: 20 forms, and the one in which all of them end.
  const forms = Array.from({ length: 20 }, (_, at) => form(at + 7))
  const more = [...forms, stream(Buffer.from(' '), '/Subtype /Form')]
  const bytes = onePage(stream(Buffer.from('/X Do')), '/XObject << /X 6 0 R >>', { more })
  assert.equal(await outcomeOf(bytes, 64 * 2 ** 20), 'too_large')
})

test('cross-references that refer to themselves, deep arrays and endless page lists end', async () => {
  const whole = writePdf([[[72, 700, 11, 'text']]]).toString('latin1')
  const table = /startxref\n(\d+)/.exec(whole)?.[1]
  assert.equal(await outcomeOf(Buffer.from(whole.replace('/Root', `/Prev ${table} /Root`), 'latin1')), 1)
  assert.equal(await outcomeOf(onePage('['.repeat(100_000) + ']'.repeat(100_000))), 1)
  const kids = `<< /Type /Pages /Count 200000 /Kids [${'3 0 R '.repeat(200_000)}] >>`
  const page = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>'
  assert.equal(await outcomeOf(writeObjects([CATALOG, kids, page])), 'too_large')
})

test('a page of any size is drawn within the bound of the image', async () => {
  for (const box of ['0 0 1e9 1e9', '0 0 1e9 1', '0 0 0 0']) {
    const image = await drawPdfPage(onePage(stream(Buffer.from(' ')), '', { box }), { page: 1, maxSide: 200 })
    assert.ok('rgba' in image && image.width <= 200 && image.height <= 200)
  }
})

test('a page whose pictures have too many pixels is refused before they are unpacked', async () => {
  const picture = (side: number) =>
    stream(
      deflateSync(Buffer.alloc(side * Math.ceil(side / 8))),
      `/Type /XObject /Subtype /Image /Width ${side} /Height ${side} /ColorSpace /DeviceGray /BitsPerComponent 1
       /Filter /FlateDecode`,
    )
  const draw = async (content: string, side: number) => {
    const form = stream(
      Buffer.from('/I Do '.repeat(9)),
      '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /I 6 0 R >> >>',
    )
    const more = [picture(side), form]
    const page = onePage(stream(Buffer.from(content)), '/XObject << /I 6 0 R /F 7 0 R >>', { more })
    const drawn = await drawPdfPage(page, { page: 1, maxSide: 200 })
    return 'refusal' in drawn ? drawn.refusal : 'drawn'
  }
  assert.equal(await draw('/I Do', 20_001), 'too_large')
  assert.equal(await draw('/I Do', 1_000), 'drawn')
  // Each drawing unpacks the picture again, also in a form.
  assert.equal(await draw('/I Do '.repeat(401), 1_000), 'too_large')
  assert.equal(await draw('/F Do '.repeat(45), 1_000), 'too_large')
})
