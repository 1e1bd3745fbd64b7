import { readFile } from 'node:fs/promises'
import type { eld } from 'eld/large'
import { type NgramTable, parseNgramTable } from './ngram-table.ts'

/** What eld's own entries are made of. */
type Detectors = { createEld(): { readonly instance: Detector; loadData(table: NgramTable): void } }

type Detector = Pick<typeof eld, 'detect'>

/** Makes eld's detector over its table of that size, which takes a tenth of the memory of the entry itself. */
export async function loadDetector(size: 'large' | 'extrasmall'): Promise<Detector> {
  const entry = import.meta.resolve(`eld/${size}`)
  const source = await readFile(new URL(`../ngrams/${size}.js`, entry), 'utf8')
  // eld 2.1.0 exports only entries that load a table; this is what each of them does with its own.
  const { createEld } = (await import(new URL('../languageDetector.js', entry).href)) as Detectors
  const { instance, loadData } = createEld()
  loadData(parseNgramTable(source))
  return instance
}
