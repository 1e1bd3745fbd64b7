import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { splitSentences } from '@tollbook/extract/summary/split-sentences'
import { printFigure, type Suite, type SuiteOptions } from './suite.ts'

/** One treebank a language: news, reviews, encyclopaedias, laws and letters. */
const TREEBANKS = {
  en: 'UD_English-EWT',
  de: 'UD_German-GSD',
  fr: 'UD_French-GSD',
  es: 'UD_Spanish-GSD',
  it: 'UD_Italian-ISDT',
  pt: 'UD_Portuguese-Bosque',
  nl: 'UD_Dutch-Alpino',
  pl: 'UD_Polish-PDB',
  cs: 'UD_Czech-CAC',
  ru: 'UD_Russian-GSD',
  da: 'UD_Danish-DDT',
  sv: 'UD_Swedish-Talbanken',
}

/** Most treebanks have single sentences without their paragraphs; so many of them in a row are one paragraph. */
const PARAGRAPH_SENTENCES = 8

type Split = 'dev' | 'test'
type Counts = { found: number; wanted: number; both: number }

/** Sentences of Universal Dependencies: where people see the ends of sentences. */
export const sentences: Suite = {
  name: 'sentences',
  summary: 'ends of sentences in twelve treebanks, F1; the test files with --held-out',
  async run(options) {
    await measure('dev', options)
    if (options.isHeldOutWanted) await measure('test', options)
  },
}

async function measure(split: Split, { folder, every }: SuiteOptions): Promise<void> {
  const suite = `sentences ${split}`
  for (const [lang, treebank] of Object.entries(TREEBANKS)) {
    const paragraphs = (await readParagraphs(join(folder, treebank), split)).filter(
      (_, at) => at % every === 0,
    )
    const of = paragraphs.reduce((sum, { length }) => sum + length - 1, 0)
    for (const [way, name] of [
      ['', lang],
      [', its language unknown', null],
    ] as const) {
      const value = f1Of(paragraphs, (text) => splitSentences(text, name))
      const own = new Intl.Segmenter(lang, { granularity: 'sentence' })
      const published = {
        'Intl.Segmenter': f1Of(paragraphs, (text) => [...own.segment(text)].map(({ segment }) => segment)),
      }
      printFigure({
        suite,
        figure: `F1 of ends, ${lang}${way}`,
        value,
        of,
        ...(name !== null && { published }),
      })
    }
  }
}

/** The F1 of the ends inside of paragraphs; that of the paragraph itself counts for nobody. */
function f1Of(
  paragraphs: readonly (readonly string[])[],
  split: (text: string) => readonly string[],
): number {
  const counts: Counts = { found: 0, wanted: 0, both: 0 }
  for (const paragraph of paragraphs) {
    const wanted = endsOf(paragraph)
    const found = endsOf(split(paragraph.join(' ')))
    counts.wanted += wanted.size
    counts.found += found.size
    counts.both += [...wanted].filter((end) => found.has(end)).length
  }
  return (2 * counts.both) / (counts.wanted + counts.found)
}

/** Numbers of characters before the ends, without white space. */
function endsOf(parts: readonly string[]): Set<number> {
  const ends = new Set<number>()
  let at = 0
  for (const part of parts) {
    at += part.replaceAll(/\s/g, '').length
    ends.add(at)
  }
  ends.delete(at)
  return ends
}

async function readParagraphs(folder: string, split: Split): Promise<string[][]> {
  const file = (await readdir(folder)).find((name) => name.endsWith(`-ud-${split}.conllu`))
  if (file === undefined) throw new Error(`${folder} has no file -ud-${split}.conllu`)
  const paragraphs: string[][] = []
  let open: string[] = []
  for (const line of (await readFile(join(folder, file), 'utf8')).split('\n')) {
    const [, text] = /^# text = (.*)$/.exec(line) ?? []
    const isNew = /^# new(?:par|doc)\b/.test(line) || open.length >= PARAGRAPH_SENTENCES
    if (isNew && open.length > 0) {
      paragraphs.push(open)
      open = []
    }
    if (text !== undefined && text.trim() !== '') open.push(text.trim())
  }
  return [...paragraphs, ...(open.length > 0 ? [open] : [])].filter(({ length }) => length > 1)
}
