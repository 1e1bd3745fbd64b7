import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { composeAnswer } from '../src/utility/search/compose-answer.ts'
import { printFigure, type Suite, type SuiteOptions } from './suite.ts'

type Asked = {
  readonly query: string
  readonly title: string
  readonly sentences: readonly { readonly text: string; readonly isAnswer: boolean }[]
}

/** Rules are tuned on `dev` and on the even questions of the test file; the odd ones are held out. */
const SPLITS = {
  dev: { file: 'WikiQA-dev.tsv', isUsed: () => true },
  even: { file: 'WikiQA-test.tsv', isUsed: (number: number) => number % 2 === 0 },
  odd: { file: 'WikiQA-test.tsv', isUsed: (number: number) => number % 2 === 1 },
}

/** Questions of people to a search engine, most of which the page that they opened does not answer. */
export const answers: Suite = {
  name: 'answers',
  summary: 'quoted answers to the questions of WikiQA, half of its test file with --held-out',
  async run(options) {
    await measure('dev', options)
    await measure('even', options)
    if (options.isHeldOutWanted) await measure('odd', options)
  },
}

async function measure(name: keyof typeof SPLITS, { folder, every }: SuiteOptions): Promise<void> {
  const all = (await readQuestions(join(folder, 'WikiQA'), SPLITS[name])).filter((_, at) => at % every === 0)
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

async function readQuestions(
  folder: string,
  { file, isUsed }: (typeof SPLITS)[keyof typeof SPLITS],
): Promise<Asked[]> {
  const lines = (await readFile(join(folder, file), 'utf8')).split('\n').slice(1)
  const rows = lines.map((line) => line.trim().split('\t')).filter(({ length }) => length === 7)
  const byId = Map.groupBy(rows, ([id]) => id ?? '')
  return [...byId]
    .filter(([id]) => isUsed(Number(id.slice(1))))
    .map(([, of]) => ({
      query: of[0]?.[1] ?? '',
      title: of[0]?.[3] ?? '',
      sentences: of.map(([, , , , , text = '', label]) => ({ text: text.trim(), isAnswer: label === '1' })),
    }))
}

/** Letters and digits, so that spaces before punctuation do not matter. */
function lettersOf(text: string): string {
  return text.replaceAll(/\[\d+\]|[^\p{L}\p{N}]/gu, '')
}
