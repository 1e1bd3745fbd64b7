import type { Block, Inline } from '@tollbook/extract/document/block'
import { writeText } from '@tollbook/extract/document/write-text'
import { openOcr } from '@tollbook/utility/ocr/open-ocr'
import { chromium } from 'playwright-core'
import { buildForm, FORMS } from './ocr-tables-documents.ts'
import { drawForm } from './ocr-tables-pictures.ts'
import { addScore, f1Of, type Score, scoreBag, scoreTables } from './score-tables.ts'
import { percentileOf, printFigure, type Suite, showProgress } from './suite.ts'

const BROWSER = '/usr/bin/chromium'

/** Text recognition of invoices, receipts, forms and statements that Chromium draws. */
export const ocrTables: Suite = {
  name: 'ocr-tables',
  summary: 'cells and words of drawn invoices, receipts, forms and statements',
  needsFolder: false,
  async run({ every, isHeldOutWanted }) {
    const engine = openOcr()
    if (!engine) throw new Error('tesseract.js and @tesseract.js-data/eng are not installed')
    const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] })
    try {
      for (const half of isHeldOutWanted ? (['dev', 'held-out'] as const) : (['dev'] as const)) {
        const numbers = Array.from({ length: FORMS / 2 }, (_, at) => 2 * at + (half === 'dev' ? 0 : 1))
        const chosen = numbers.filter((_, at) => at % every === 0)
        const totals = { cells: emptyScore(), words: emptyScore(), numbers: emptyScore() }
        const times: number[] = []
        let silent = 0
        for (const [at, number] of chosen.entries()) {
          const form = buildForm(number)
          const bytes = await drawForm(browser, form, number)
          const started = performance.now()
          const { blocks, uncertain } = await engine
            .read({ bytes }, AbortSignal.timeout(240_000))
            .catch(() => ({ blocks: [] as readonly Block[], uncertain: [] as readonly string[] }))
          times.push(performance.now() - started)
          const wanted = wordsOf([...form.tables.flat(2), ...form.texts].join(' '))
          const found = wordsOf(writeText(blocks))
          const words = scoreBag(found, wanted)
          const cells = scoreTables(blocks.flatMap(tableOf), form.tables)
          addScore(totals.words, words)
          addScore(totals.cells, cells)
          addScore(totals.numbers, scoreBag(found.filter(isNumber), wanted.filter(isNumber)))
          silent += countSilent({ found, wanted, uncertain })
          if (half === 'dev' && (f1Of(words) < 1 || f1Of(cells) < 1))
            process.stderr.write(
              `ocr-tables ${number} ${JSON.stringify(form.variant)}: words ${f1Of(words).toFixed(3)}, cells ${f1Of(cells).toFixed(3)}\n`,
            )
          showProgress(`ocr-tables ${half}`, at + 1, chosen.length)
        }
        const common = { suite: `ocr-tables ${half}`, of: chosen.length }
        for (const [kind, score] of Object.entries(totals))
          printFigure({ ...common, figure: `${kind}, F1`, value: f1Of(score) })
        printFigure({ ...common, figure: 'wrong words not marked as uncertain', value: silent })
        printFigure({ ...common, figure: 'ms a picture, median', value: percentileOf(times, 0.5) })
      }
    } finally {
      engine.close()
      await browser.close()
    }
  },
}

/** Words of the answer that the document does not have, and that the answer does not list as uncertain. */
export function countSilent({
  found,
  wanted,
  uncertain,
}: {
  readonly found: readonly string[]
  readonly wanted: readonly string[]
  readonly uncertain: readonly string[]
}): number {
  const left = new Map<string, number>()
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1)
  const marked = new Set(wordsOf(uncertain.join(' ')))
  return found.filter((word) => {
    const count = left.get(word) ?? 0
    left.set(word, count - 1)
    return count <= 0 && !marked.has(word)
  }).length
}

export function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word))
}

export function isNumber(word: string): boolean {
  return /\d/.test(word)
}

export function emptyScore(): Score {
  return { hits: 0, found: 0, wanted: 0 }
}

function tableOf(block: Block): string[][][] {
  if (block.kind !== 'table') return []
  const textOf = (content: readonly Inline[]) =>
    writeText([{ kind: 'paragraph', content }])
      .replace(/\s+/g, ' ')
      .trim()
  return [block.rows.map((row) => row.map(textOf))]
}
