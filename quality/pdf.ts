import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { writeText } from '@tollbook/extract/document/write-text'
import { readPdf } from '@tollbook/extract/pdf/read-pdf'
import { BORN_DIGITAL, SCANNED } from './pdf-files.ts'
import { meanOf, percentileOf, printFigure, type Suite, showProgress } from './suite.ts'

const run = promisify(execFile)

const MAX_PAGES = 200
const MAX_OUTPUT_BYTES = 2 ** 28
/** Articles in two columns, by path below the folder. */
const TWO_COLUMNS = [
  'pdf.js/test/pdfs/tracemonkey.pdf',
  'pdfminer.six/samples/nonfree/naacl06-shinyama.pdf',
  'sample-files/026-latex-multicolumn/multicolumn.pdf',
]
/** Word F1 that the mean should reach. */
const AIM = 0.95
const GENERATED = 12
const GENERATED_WORDS = 1_500

type Split = 'dev' | 'held-out'
/** `poppler`: F1 of its words without `-layout`. */
type Read = { readonly file: string; readonly f1: number; readonly poppler: number; readonly ms: number }

/** Text of PDF files against poppler, and the order of words in columns. */
export const pdf: Suite = {
  name: 'pdf',
  summary: 'words of PDF files against pdftotext -layout, and their order in two columns',
  async run({ folder, every, isHeldOutWanted }) {
    const splits: readonly Split[] = isHeldOutWanted ? ['dev', 'held-out'] : ['dev']
    const read: Read[] = []
    for (const split of splits) {
      const files = BORN_DIGITAL.filter((file) => splitOf(file) === split)
      read.push(...(await measureWords(folder, `pdf ${split}`, pick(files, every))))
    }
    if (isHeldOutWanted) {
      const figure = 'word F1, mean of all born-digital files'
      printFigure({ suite: 'pdf', figure, value: meanOf(read.map(({ f1 }) => f1)), of: read.length })
    }
    await measureWords(folder, 'pdf scanned', SCANNED)
    await measureOrder(folder)
  },
}

function pick(files: readonly string[], every: number): string[] {
  return files.filter((_, at) => at % every === 0)
}

async function measureWords(folder: string, suite: string, files: readonly string[]): Promise<Read[]> {
  const found: Read[] = []
  let [refused, unreadable] = [0, 0]
  for (const [at, file] of files.entries()) {
    const reference = toWords(undoHyphens(await readPoppler(join(folder, file), ['-layout'])))
    if (reference.length === 0) throw new Error(`pdftotext reads nothing in ${file}`)
    const started = performance.now()
    const words = await readOwn(join(folder, file), true)
    const ms = performance.now() - started
    if (words === null) refused += 1
    if (words === 'unreadable') {
      unreadable += 1
      continue
    }
    const other = toWords(undoHyphens(await readPoppler(join(folder, file), [])))
    found.push({ file, f1: f1Of(words ?? [], reference), poppler: f1Of(other, reference), ms })
    showProgress(suite, at + 1, files.length)
  }
  for (const { file, f1 } of found.filter((each) => each.f1 < 0.9)) {
    process.stderr.write(`${suite}: ${f1.toFixed(4)} ${file}\n`)
  }
  const f1s = found.map(({ f1 }) => f1)
  const print = (figure: string, value: number) => printFigure({ suite, figure, value, of: found.length })
  const published = { 'pdftotext without -layout': meanOf(found.map(({ poppler }) => poppler)) }
  printFigure({ suite, figure: 'word F1, mean', value: meanOf(f1s), of: found.length, published })
  print('word F1, median', percentileOf(f1s, 0.5))
  print('word F1, lowest file', Math.min(...f1s))
  print(`files below ${AIM}`, f1s.filter((f1) => f1 < AIM).length)
  print('files refused', refused)
  print('files left to text recognition', unreadable)
  print(
    'ms a file, p95',
    percentileOf(
      found.map(({ ms }) => ms),
      0.95,
    ),
  )
  return found
}

/** Every second file of pdf.js is held out; the other repositories are small. */
function splitOf(file: string): Split {
  const letters = [...file].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0)
  return file.startsWith('pdf.js') && letters % 2 === 1 ? 'held-out' : 'dev'
}

function listOf(read: string[] | 'unreadable' | null): string[] {
  return Array.isArray(read) ? read : []
}

/** Null if the document is refused. */
async function readOwn(path: string, keepsRepeated = false): Promise<string[] | 'unreadable' | null> {
  const read = await readPdf(await readFile(path), { maxPages: MAX_PAGES, keepsRepeated })
  if ('refusal' in read) return null
  if (read.pages.every(({ isUnreadable }) => isUnreadable)) return 'unreadable'
  return toWords(read.pages.map(({ blocks }) => writeText(blocks)).join('\n'))
}

/** Empty if poppler reads nothing. */
async function readPoppler(path: string, options: readonly string[]): Promise<string> {
  const settings = { maxBuffer: MAX_OUTPUT_BYTES, timeout: 60_000 }
  const args = [...options, '-l', String(MAX_PAGES), path, '-']
  return await run('pdftotext', args, settings).then(
    ({ stdout }) => stdout,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') throw new Error('pdftotext (poppler-utils) is not installed')
      return ''
    },
  )
}

/** Runs of letters and digits in lower case after NFKC; each character of Chinese and Japanese is a word. */
function toWords(text: string): string[] {
  const cjk =
    /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}])[\p{L}\p{N}])+/gu
  return text.normalize('NFKC').toLowerCase().match(cjk) ?? []
}

/** Of the two bags of words. */
function f1Of(words: readonly string[], reference: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const word of reference) counts.set(word, (counts.get(word) ?? 0) + 1)
  let hits = 0
  for (const word of words) {
    const left = counts.get(word) ?? 0
    if (left > 0) hits += 1
    counts.set(word, left - 1)
  }
  return (2 * hits) / (words.length + reference.length)
}

async function measureOrder(folder: string): Promise<void> {
  const shares: number[] = []
  for (const file of TWO_COLUMNS) {
    // Without -layout poppler writes columns one after the other.
    const reference = toWords(undoHyphens(await readPoppler(join(folder, file), [])))
    shares.push(shareOfPairs(listOf(await readOwn(join(folder, file))), reference))
  }
  const figure = 'pairs of adjacent words as in pdftotext, two columns'
  printFigure({ suite: 'pdf', figure, value: meanOf(shares), of: shares.length })
  printFigure({ suite: 'pdf', figure: `${figure}, lowest`, value: Math.min(...shares), of: shares.length })
  const known = await measureGenerated()
  const name = 'pairs of adjacent words in their known order, columns printed by Chromium'
  printFigure({ suite: 'pdf', figure: name, value: meanOf(known), of: known.length })
  printFigure({ suite: 'pdf', figure: `${name}, lowest`, value: Math.min(...known), of: known.length })
}

function undoHyphens(text: string): string {
  return text.replace(/(\p{Ll})[-\u00AD\u2010]\n\s*(?=\p{Ll})/gu, '$1')
}

/** Share of the reference's pairs of adjacent words that are adjacent in the text, too. */
function shareOfPairs(words: readonly string[], reference: readonly string[]): number {
  const pairs = (of: readonly string[]) => of.slice(1).map((word, at) => `${of[at]} ${word}`)
  const found = new Map<string, number>()
  for (const pair of pairs(words)) found.set(pair, (found.get(pair) ?? 0) + 1)
  let hits = 0
  for (const pair of pairs(reference)) {
    const left = found.get(pair) ?? 0
    if (left > 0) hits += 1
    found.set(pair, left - 1)
  }
  return hits / Math.max(1, reference.length - 1)
}

/** Documents of numbered words in columns, with a title and a summary over both, of different widths. */
async function measureGenerated(): Promise<number[]> {
  const temporary = await mkdtemp(join(tmpdir(), 'tollbook-quality-pdf-'))
  try {
    const shares: number[] = []
    for (let at = 0; at < GENERATED; at += 1) {
      const words = Array.from(
        { length: GENERATED_WORDS },
        (_, word) => `${'abcdefghij'.slice(0, 1 + ((word * 7) % 9))}${word}`,
      )
      const [page, result] = [join(temporary, `${at}.html`), join(temporary, `${at}.pdf`)]
      await writeFile(page, toHtml(words, at))
      const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--no-pdf-header-footer']
      await run('chromium', [
        ...flags,
        `--user-data-dir=${temporary}/profile`,
        `--print-to-pdf=${result}`,
        page,
      ])
      shares.push(shareOfPairs(listOf(await readOwn(result)), words))
      showProgress('pdf generated', at + 1, GENERATED)
    }
    return shares
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

function toHtml(words: readonly string[], at: number): string {
  const paragraphs: string[] = []
  for (let from = 60; from < words.length; from += 70)
    paragraphs.push(`<p>${words.slice(from, from + 70).join(' ')}</p>`)
  const style = `font: ${9 + (at % 3)}pt ${at % 2 === 0 ? 'serif' : 'sans-serif'}; text-align: ${at % 4 < 2 ? 'justify' : 'left'}`
  return `<!doctype html><meta charset="utf-8"><body style="${style}">
<h1>${words.slice(0, 10).join(' ')}</h1><p>${words.slice(10, 60).join(' ')}</p>
<div style="columns: ${2 + (at % 3 === 2 ? 1 : 0)}; column-gap: ${14 + 4 * (at % 4)}pt">${paragraphs.join('\n')}</div>`
}
