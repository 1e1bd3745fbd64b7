import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Block } from '@tollbook/extract/document/block'
import { writeText } from '@tollbook/extract/document/write-text'
import { openOcr } from '@tollbook/utility/ocr/open-ocr'
import { distance } from './levenshtein.ts'
import { countSilent, emptyScore, isNumber, wordsOf } from './ocr-tables.ts'
import { addScore, f1Of, scoreBag } from './score-tables.ts'
import { meanOf, printFigure, type Suite, showProgress } from './suite.ts'

const FOLDER = 'ICDAR-2019-SROIE/data'
/** Of 626 receipts these are read: numbers with a remainder of 0 by this for tuning, of 10 held out. */
const EVERY = 20
const HELD_OUT = 10

/** Text recognition of scanned receipts, whose lines people wrote down. */
export const ocrReceipts: Suite = {
  name: 'ocr-receipts',
  summary: 'words, characters and totals of scanned receipts (SROIE)',
  async run({ folder, every, isHeldOutWanted }) {
    const engine = openOcr()
    if (!engine) throw new Error('tesseract.js and @tesseract.js-data/eng are not installed')
    const names = (await readdir(join(folder, FOLDER, 'img'))).filter((name) => name.endsWith('.jpg')).sort()
    try {
      for (const half of isHeldOutWanted ? (['dev', 'held-out'] as const) : (['dev'] as const)) {
        const chosen = names
          .filter((name) => Number.parseInt(name, 10) % EVERY === (half === 'dev' ? 0 : HELD_OUT))
          .filter((_, at) => at % every === 0)
        const totals = { words: emptyScore(), numbers: emptyScore() }
        const rates: number[] = []
        let [totalsFound, totalsWanted, refused, silent, answered] = [0, 0, 0, 0, 0]
        for (const [at, name] of chosen.entries()) {
          const bytes = await readFile(join(folder, FOLDER, 'img', name))
          const truth = await readTruth(join(folder, FOLDER), name)
          const read = await engine.read({ bytes }, AbortSignal.timeout(240_000)).catch(() => null)
          const blocks: readonly Block[] = read?.blocks ?? []
          if (blocks.length === 0) refused += 1
          const text = writeText(blocks).toUpperCase().replace(/\s+/g, ' ').trim()
          const [found, wanted] = [wordsOf(text), wordsOf(truth.text)]
          addScore(totals.words, scoreBag(found, wanted))
          addScore(totals.numbers, scoreBag(found.filter(isNumber), wanted.filter(isNumber)))
          rates.push(Math.min(1, distance(text, truth.text) / truth.text.length))
          if (truth.total !== null) {
            totalsWanted += 1
            if (found.some((word) => word.replace(/[^\d.]/g, '') === truth.total)) totalsFound += 1
          }
          const uncertain = (read?.uncertain ?? []).map((word) => word.toUpperCase())
          silent += countSilent({ found, wanted, uncertain })
          answered += found.length
          showProgress(`ocr-receipts ${half}`, at + 1, chosen.length)
        }
        const common = { suite: `ocr-receipts ${half}`, of: chosen.length }
        for (const [kind, score] of Object.entries(totals))
          printFigure({ ...common, figure: `${kind}, F1`, value: f1Of(score) })
        printFigure({ ...common, figure: 'character errors, mean', value: meanOf(rates) })
        printFigure({ ...common, figure: 'totals found', value: totalsFound, of: totalsWanted })
        printFigure({ ...common, figure: 'refused', value: refused })
        printFigure({ ...common, figure: 'wrong words not marked as uncertain', value: silent, of: answered })
      }
    } finally {
      engine.close()
    }
  },
}

/** Lines from top to bottom and in each from left to right, and the total, if it was marked. */
async function readTruth(folder: string, name: string): Promise<{ text: string; total: string | null }> {
  const stem = name.slice(0, -'.jpg'.length)
  const lines = (await readFile(join(folder, 'box', `${stem}.csv`), 'utf8')).split('\n').flatMap((line) => {
    const [x = 0, y = 0, , , , bottom = 0] = line.split(',', 8).map(Number)
    const text = line.split(',').slice(8).join(',').trim()
    return text === '' ? [] : [{ x, y: (y + bottom) / 2, height: bottom - y, text }]
  })
  lines.sort((one, other) => one.y - other.y)
  const rows: (typeof lines)[] = []
  for (const line of lines) {
    const row = rows.at(-1)
    const first = row?.[0]
    if (row && first && line.y - first.y < 0.5 * Math.min(first.height, line.height)) row.push(line)
    else rows.push([line])
  }
  const text = rows
    .flatMap((row) => row.sort((one, other) => one.x - other.x))
    .map((line) => line.text)
    .join(' ')
    .toUpperCase()
    .replace(/\s+/g, ' ')
  const key: unknown = JSON.parse(await readFile(join(folder, 'key', `${stem}.json`), 'utf8'))
  const total = (key as { total?: string }).total?.replace(/[^\d.]/g, '')
  return { text, total: total || null }
}
