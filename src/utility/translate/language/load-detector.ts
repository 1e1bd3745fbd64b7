import { readFile } from 'node:fs/promises'
import type { eld } from 'eld/large'
import { type NgramTable, parseNgramTable } from './ngram-table.ts'

/** The parts of which eld's own entries consist. */
type Detectors = { createEld(): { readonly instance: Detector; loadData(table: NgramTable): void } }

type Detector = Pick<typeof eld, 'detect'>

/** Creates eld's detector over its table of that size, with a tenth of the memory of the entry itself. */
export async function loadDetector(size: 'large' | 'extrasmall'): Promise<Detector> {
  const entry = import.meta.resolve(`eld/${size}`)
  const source = await readFile(new URL(`../ngrams/${size}.js`, entry), 'utf8')
  // eld 2.1.0 exports only entries that load a table; this repeats what each of them does.
  const { createEld } = (await import(new URL('../languageDetector.js', entry).href)) as Detectors
  const { instance, loadData } = createEld()
  loadData(parseNgramTable(source))
  return instance
}
