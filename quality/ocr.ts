import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeText } from '@tollbook/extract/document/write-text'
import { drawPdfPage } from '@tollbook/extract/pdf/draw-pdf-page'
import { writeObjects } from '@tollbook/testing/write-pdf'
import { openOcr } from '@tollbook/utility/ocr/open-ocr'
import sharp from 'sharp'
import { distance } from './levenshtein.ts'
import { meanOf, printFigure, type Suite, showProgress } from './suite.ts'

/** Below the folder: photographs in which no text can be seen. */
const PHOTOS = [
  'exif-samples/jpg/Canon_40D.jpg',
  'exif-samples/jpg/Canon_40D_photoshop_import.jpg',
  'exif-samples/jpg/Canon_PowerShot_S40.jpg',
  'exif-samples/jpg/Fujifilm_FinePix6900ZOOM.jpg',
  'exif-samples/jpg/Fujifilm_FinePix_E500.jpg',
  'exif-samples/jpg/Kodak_CX7530.jpg',
  'exif-samples/jpg/Konica_Minolta_DiMAGE_Z3.jpg',
  'exif-samples/jpg/Nikon_D70.jpg',
  'exif-samples/jpg/Olympus_C8080WZ.jpg',
  'exif-samples/jpg/Pentax_K10D.jpg',
  'exif-samples/jpg/Ricoh_Caplio_RR330.jpg',
  'exif-samples/jpg/Samsung_Digimax_i50_MP3.jpg',
  'exif-samples/jpg/WWL_(Polaroid)_ION230.jpg',
  'exif-samples/jpg/long_description.jpg',
  'exif-samples/jpg/gps/DSCN0010.jpg',
  'exif-samples/jpg/gps/DSCN0012.jpg',
  'exif-samples/jpg/gps/DSCN0021.jpg',
  'sharp/test/fixtures/2569067123_aca715a2ee_o.jpg',
  'sharp/test/fixtures/flowers.jpeg',
  'sharp/test/fixtures/gamma_dalai_lama_gray.jpg',
]
const FONTS = ['Helvetica', 'Helvetica-Bold', 'Times-Roman', 'Courier']
const SIZES = [10, 11, 12, 16, 24]
const PAGES = 2
const DPI = 150
const WORDS =
  'harbour master pilot tide water north seven oak crane repaired century before stone wall iron signal paid never office open'.split(
    ' ',
  )

/** Text recognition: pages of known text, and photographs in which nothing may be found. */
export const ocr: Suite = {
  name: 'ocr',
  summary: 'characters read wrongly on drawn documents, and words invented on photographs',
  async run({ folder }) {
    const engine = openOcr()
    if (!engine) throw new Error('tesseract.js and @tesseract.js-data/eng are not installed')
    const read = async (bytes: Uint8Array) =>
      writeText((await engine.read({ bytes }, AbortSignal.timeout(120_000))).blocks)
        .replace(/\s+/g, ' ')
        .trim()
    try {
      await measureDocuments(read)
      await measurePhotos(folder, read)
    } finally {
      engine.close()
    }
  },
}

type Read = (image: Uint8Array) => Promise<string>

async function measureDocuments(read: Read): Promise<void> {
  const pages = FONTS.flatMap((font) =>
    SIZES.flatMap((size) => Array.from({ length: PAGES }, (_, page) => ({ font, size, page }))),
  )
  const rates: number[] = []
  for (const [at, { font, size, page }] of pages.entries()) {
    const lines = writeLines(at + 31 * page, Math.floor(760 / size))
    const found = await read(await drawLines(lines, font, size))
    const wanted = lines.join(' ')
    const rate = distance(found, wanted) / wanted.length
    if (rate > 0.02) process.stderr.write(`ocr: ${font} ${size} ${rate.toFixed(4)}: ${found}\n`)
    rates.push(rate)
    showProgress('ocr documents', at + 1, pages.length)
  }
  const common = { suite: 'ocr', of: rates.length }
  printFigure({ ...common, figure: 'character errors, mean', value: meanOf(rates) })
  printFigure({ ...common, figure: 'character errors, worst', value: Math.max(...rates) })
}

async function measurePhotos(folder: string, read: Read): Promise<void> {
  let invented = 0
  for (const [at, file] of PHOTOS.entries()) {
    const found = await read(await readFile(join(folder, file)))
    if (found !== '') {
      invented += 1
      process.stderr.write(`ocr: ${file}: ${found}\n`)
    }
    showProgress('ocr photos', at + 1, PHOTOS.length)
  }
  printFigure({
    suite: 'ocr',
    figure: 'photographs without text in which some is found',
    value: invented,
    of: PHOTOS.length,
  })
}

/** Six lines of sentences with figures; the same for a seed. */
function writeLines(seed: number, chars: number): string[] {
  let state = seed + 1
  const next = (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  return Array.from({ length: 6 }, () => {
    let line = ''
    while (line.length < chars) {
      const word = next(7) === 0 ? `${next(9_000) + 10}` : (WORDS[next(WORDS.length)] ?? '')
      line += `${line === '' ? '' : ' '}${word}`
    }
    return `${line.charAt(0).toUpperCase()}${line.slice(1)}.`
  })
}

async function drawLines(lines: readonly string[], font: string, size: number): Promise<Buffer> {
  const content = lines
    .map((line, at) => `BT /F ${size} Tf 50 ${700 - at * 1.4 * size} Td (${line}) Tj ET`)
    .join('\n')
  const pdf = writeObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    `<< /Type /Font /Subtype /Type1 /BaseFont /${font} >>`,
  ])
  const drawn = await drawPdfPage(pdf, { page: 1, dpi: DPI })
  if ('refusal' in drawn) throw new Error(drawn.message)
  const raw = { width: drawn.width, height: drawn.height, channels: 4 as const }
  return sharp(drawn.rgba, { raw }).png().toBuffer()
}
