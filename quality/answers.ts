import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { splitSentences } from '@tollbook/extract/summary/split-sentences'
import { composeAnswer } from '@tollbook/utility/search/compose-answer'
import * as z from 'zod'
import { printFigure, type Suite, type SuiteOptions } from './suite.ts'

type Asked = {
  readonly query: string
  readonly title: string
  readonly sentences: readonly { readonly text: string; readonly isAnswer: boolean }[]
}

type Split = { readonly isHeldOut?: boolean; read(folder: string): Promise<Asked[]> }

/** Questions with the sentences of a text, some of which people marked as the answer. */
const SPLITS: Readonly<Record<string, Split>> = {
  train: { read: (folder) => readWikiQaTrain(join(folder, 'WikiQA/WikiQA_data/WikiQASent-train.txt')) },
  dev: { read: (folder) => readWikiQa(join(folder, 'WikiQA/WikiQA_data/WikiQA-dev.tsv'), () => true) },
  even: {
    read: (folder) => readWikiQa(join(folder, 'WikiQA/WikiQA_data/WikiQA-test.tsv'), (id) => id % 2 === 0),
  },
  odd: {
    isHeldOut: true,
    read: (folder) => readWikiQa(join(folder, 'WikiQA/WikiQA_data/WikiQA-test.tsv'), (id) => id % 2 === 1),
  },
  'selqa dev': { read: (folder) => readSelQa(join(folder, 'selqa/ass/selqa-ass-dev.json')) },
  'selqa test': {
    isHeldOut: true,
    read: (folder) => readSelQa(join(folder, 'selqa/ass/selqa-ass-test.json')),
  },
  'squad even': { read: (folder) => readSquad(join(folder, 'squad/data/dev-v2.0.json'), 0) },
  'squad odd': {
    isHeldOut: true,
    read: (folder) => readSquad(join(folder, 'squad/data/dev-v2.0.json'), 1),
  },
}

/** Questions of people to a search engine, most of which the page that they opened does not answer, and of readers. */
export const answers: Suite = {
  name: 'answers',
  summary: 'quoted answers to the questions of WikiQA, SelQA and SQuAD; their other halves with --held-out',
  async run(options) {
    for (const [name, split] of Object.entries(SPLITS))
      if (!split.isHeldOut || options.isHeldOutWanted) await measure(name, split, options)
  },
}

async function measure(name: string, split: Split, { folder, every }: SuiteOptions): Promise<void> {
  const all = (await split.read(folder)).filter((_, at) => at % every === 0)
  let answered = 0
  let right = 0
  for (const { query, title, sentences } of all) {
    const content = sentences.map(({ text }) => text).join('\n')
    const hit = { title, url: '', content, score: 0.9, publishedDate: null, favicon: null }
    const answer = composeAnswer({ query, hits: [hit] })
    if (!answer) continue
    answered += 1
    const quoted = lettersOf(answer.text)
    if (sentences.some(({ text, isAnswer }) => isAnswer && quoted.includes(lettersOf(text)))) right += 1
  }
  const answerable = all.filter(({ sentences }) => sentences.some(({ isAnswer }) => isAnswer)).length
  const suite = `answers ${name}`
  printFigure({ suite, figure: 'answers that are right', value: right / answered, of: answered })
  printFigure({
    suite,
    figure: 'answerable questions answered right',
    value: right / answerable,
    of: answerable,
  })
}

async function readWikiQa(path: string, isUsed: (id: number) => boolean): Promise<Asked[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').slice(1)
  const rows = lines.map((line) => line.trim().split('\t')).filter(({ length }) => length === 7)
  return [...Map.groupBy(rows, ([id]) => id ?? '')]
    .filter(([id]) => isUsed(Number(id.slice(1))))
    .map(([, of]) => ({
      query: of[0]?.[1] ?? '',
      title: of[0]?.[3] ?? '',
      sentences: of.map(([, , , , , text = '', label]) => ({ text: text.trim(), isAnswer: label === '1' })),
    }))
}

/** Its tokens are separated by spaces, and it has no titles. */
async function readWikiQaTrain(path: string): Promise<Asked[]> {
  const lines = (await readFile(path, 'utf8')).split('\n')
  const rows = lines.map((line) => line.trim().split('\t')).filter(({ length }) => length === 3)
  return [...Map.groupBy(rows, ([query]) => query ?? '')].map(([query, of]) => ({
    query: joinTokens(query),
    title: '',
    sentences: of.map(([, text = '', label]) => ({ text: joinTokens(text), isAnswer: label === '1' })),
  }))
}

function joinTokens(text: string): string {
  return text
    .replaceAll(/-LRB- ?/g, '(')
    .replaceAll(/ ?-RRB-/g, ')')
    .replaceAll(/`` ?| ?''/g, '"')
    .replaceAll(/ ([.,;:!?)\]’%]|n't\b|'s\b)/g, '$1')
    .replaceAll(/([([$]) /g, '$1')
}

const selQa = z.array(
  z.object({
    question: z.string(),
    article: z.string(),
    candidates: z.array(z.string()),
    answers: z.array(z.int()),
  }),
)

async function readSelQa(path: string): Promise<Asked[]> {
  const all = selQa.parse(JSON.parse(await readFile(path, 'utf8')))
  return all.map(({ question, article, candidates, answers: marked }) => ({
    query: question,
    title: article,
    sentences: candidates.map((text, at) => ({ text, isAnswer: text !== '' && marked.includes(at) })),
  }))
}

const squad = z.object({
  data: z.array(
    z.object({
      title: z.string(),
      paragraphs: z.array(
        z.object({
          context: z.string(),
          qas: z.array(
            z.object({
              question: z.string(),
              is_impossible: z.boolean(),
              answers: z.array(z.object({ answer_start: z.int() })),
            }),
          ),
        }),
      ),
    }),
  ),
})

/** Half of the questions have no answer, and were written so that a text seems to have one. */
async function readSquad(path: string, half: number): Promise<Asked[]> {
  const { data } = squad.parse(JSON.parse(await readFile(path, 'utf8')))
  return data
    .filter((_, at) => at % 2 === half)
    .flatMap(({ title, paragraphs }) =>
      paragraphs.flatMap(({ context, qas }) => {
        const placed = placeSentences(context)
        return qas.map(({ question, is_impossible, answers: marked }) => ({
          query: question,
          title: title.replaceAll('_', ' '),
          sentences: placed.map(({ text, from, to }) => ({
            text,
            isAnswer: !is_impossible && marked.some(({ answer_start: at }) => at >= from && at < to),
          })),
        }))
      }),
    )
}

function placeSentences(context: string): { text: string; from: number; to: number }[] {
  let end = 0
  return context.split('\n').flatMap((line) =>
    splitSentences(line, null).map((text) => {
      const from = context.indexOf(text, end)
      end = from + text.length
      return { text, from, to: end }
    }),
  )
}

/** Letters and digits, so that spaces before punctuation do not matter. */
function lettersOf(text: string): string {
  return text.replaceAll(/\[\d+\]|[^\p{L}\p{N}]/gu, '')
}
