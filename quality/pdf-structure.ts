import type { Block, Inline } from '@tollbook/extract/document/block'
import { writeText } from '@tollbook/extract/document/write-text'
import { readPdf } from '@tollbook/extract/pdf/read-pdf'
import { chromium } from 'playwright-core'
import { buildDocument, type ListItem, type Truth } from './pdf-structure-documents.ts'
import { addScore, f1Of, type Score, scoreBag, scoreTables } from './score-tables.ts'
import { percentileOf, printFigure, type Suite, showProgress } from './suite.ts'

const DOCUMENTS = 60
const BROWSER = '/usr/bin/chromium'

const KINDS = ['table cells', 'headings', 'list items', 'code lines', 'powers and indices'] as const
type Counts = Record<(typeof KINDS)[number], Score>

/** Structure of PDF documents that Chromium prints from generated HTML. */
export const pdfStructure: Suite = {
  name: 'pdf-structure',
  summary: 'tables, lists, code, powers and headings of printed HTML whose truth is known',
  needsFolder: false,
  async run({ every, isHeldOutWanted }) {
    const halves = isHeldOutWanted ? (['dev', 'held-out'] as const) : (['dev'] as const)
    const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] })
    try {
      for (const half of halves) {
        const numbers = Array.from({ length: DOCUMENTS / 2 }, (_, at) => 2 * at + (half === 'dev' ? 0 : 1))
        const total = emptyCounts()
        const times: number[] = []
        const chosen = numbers.filter((_, at) => at % every === 0)
        for (const [at, number] of chosen.entries()) {
          const { html, truth } = buildDocument(number)
          const page = await browser.newPage()
          await page.setContent(html)
          const pdf = await page.pdf({ format: 'A4', margin: MARGIN, printBackground: true })
          await page.close()
          const started = performance.now()
          const read = await readPdf(pdf)
          times.push(performance.now() - started)
          if ('refusal' in read) throw new Error(read.message)
          const counts = compare(
            read.pages.flatMap(({ blocks }) => blocks),
            truth,
          )
          for (const kind of KINDS) {
            addScore(total[kind], counts[kind])
            // Only of the half that rules may be tuned on.
            if (half === 'dev' && f1Of(counts[kind]) < 1)
              process.stderr.write(`pdf-structure ${number}: ${kind} ${f1Of(counts[kind]).toFixed(3)}\n`)
          }
          showProgress(`pdf-structure ${half}`, at + 1, chosen.length)
        }
        const common = { suite: `pdf-structure ${half}`, of: chosen.length }
        for (const kind of KINDS) printFigure({ ...common, figure: `${kind}, F1`, value: f1Of(total[kind]) })
        printFigure({ ...common, figure: 'ms a document, median', value: percentileOf(times, 0.5) })
      }
    } finally {
      await browser.close()
    }
  },
}

const MARGIN = { top: '15mm', bottom: '15mm', left: '15mm', right: '15mm' }

/** Exported for a look at single documents. */
function compare(blocks: readonly Block[], truth: Truth): Counts {
  const text = normalise(writeText(blocks))
  const tables = blocks.flatMap((block) => (block.kind === 'table' ? [block.rows] : []))
  return {
    'table cells': scoreTables(
      tables.map((rows) => rows.map((row) => row.map((inlines) => normalise(textOf(inlines))))),
      truth.tables,
    ),
    headings: scoreBag(
      blocks.flatMap((block) => (block.kind === 'heading' ? [normalise(textOf(block.content))] : [])),
      truth.headings,
    ),
    'list items': scoreBag(itemsOf(blocks, 0).map(keyOf), truth.items.map(keyOf)),
    'code lines': scoreBag(
      blocks.flatMap((block) => (block.kind === 'code' ? codeLines(block.text.split('\n')) : [])),
      truth.codes.flatMap(codeLines),
    ),
    'powers and indices': scoreBag(
      truth.marks.filter((mark) => text.includes(mark)),
      truth.marks,
    ),
  }
}

function itemsOf(blocks: readonly Block[], depth: number): ListItem[] {
  return blocks.flatMap((block) => {
    if (block.kind !== 'list') return []
    return block.items.flatMap((item) => [
      {
        depth,
        isOrdered: block.start !== null,
        text: normalise(writeText(item.filter(({ kind }) => kind !== 'list'))),
      },
      ...itemsOf(item, depth + 1),
    ])
  })
}

function keyOf({ depth, isOrdered, text }: ListItem): string {
  return `${depth} ${isOrdered} ${text}`
}

/** Lines with their place before empty ones, which count as part of the line after them. */
function codeLines(lines: readonly string[]): string[] {
  let empty = 0
  return lines.flatMap((line) => {
    if (line.trim() === '') {
      empty += 1
      return []
    }
    const key = `${empty > 0 ? '\n' : ''}${line.trimEnd()}`
    empty = 0
    return [key]
  })
}

function textOf(inlines: readonly Inline[]): string {
  return writeText([{ kind: 'paragraph', content: inlines }])
}

function normalise(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function emptyCounts(): Counts {
  const empty = (): Score => ({ hits: 0, found: 0, wanted: 0 })
  return {
    'table cells': empty(),
    headings: empty(),
    'list items': empty(),
    'code lines': empty(),
    'powers and indices': empty(),
  }
}
