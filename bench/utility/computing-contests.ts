import { readFileSync } from 'node:fs'
import { contrast } from '@tollbook/utility/endpoints/api/a11y/contrast/endpoint'
import { calc } from '@tollbook/utility/endpoints/api/calc/endpoint'
import { convertData } from '@tollbook/utility/endpoints/api/data/convert/endpoint'
import { qr } from '@tollbook/utility/endpoints/api/qr/endpoint'
import type { WorkerPool } from '@tollbook/workers/pool'
import { all, create } from 'mathjs'
import { encodeQR } from 'qr'
import { call } from './call-endpoint.ts'
import { type Contest, timed } from './contest.ts'

const EXPRESSIONS = new URL('../../packages/calc/src/golden/pari-cases.tsv', import.meta.url)
/** Functions that mathjs has under another name, or not for its long decimals. */
const UNSHARED = /\/\/|nCr|gamma|lcm|gcd|mod|atan2|!/

/** Endpoints that compute from their arguments: reading and checking the arguments, computing, answering. */
export function computingContests(workers: WorkerPool, calls: number): readonly Contest<string>[] {
  if (!all) throw new Error('mathjs has no functions')
  const math = create(all, { number: 'BigNumber', precision: 64 })
  const expressions = readFileSync(EXPRESSIONS, 'utf8')
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '')
    .filter((expression) => expression !== '' && !UNSHARED.test(expression))
  const texts = expressions.map((text) => `https://example.com/pay?for=${encodeURIComponent(text)}`)
  const colours = Array.from({ length: 4096 }, (_, at) => `#${at.toString(16).padStart(3, '0')}`)
  const unit = 'calls/s'
  const json = writeRows(2000)
  const csv = writeCsv(2000)
  process.stderr.write(
    'papaparse and csv-parse are not installed, so CSV has no peer; contrast has no peer either\n',
  )
  return [
    {
      figure: '/api/calc, expressions over decimals',
      unit,
      items: expressions.slice(0, 5 * calls),
      ours: timed((expr: string) => call(calc, { expr })),
      peer: {
        name: 'mathjs 15.2.0, decimals of 64 digits',
        side: timed((expr: string) => math.evaluate(expr.replaceAll('ln(', 'log(')).toString()),
      },
    },
    {
      figure: '/api/qr, SVG and PNG of 512 pixels',
      unit,
      items: texts.slice(0, 2 * calls),
      ours: timed((data: string) => call(qr, { data })),
      peer: { name: 'qr 0.7.0, SVG alone', side: timed((data: string) => encodeQR(data, 'svg')) },
    },
    {
      figure: '/api/a11y/contrast',
      unit,
      items: colours.slice(0, 20 * calls),
      ours: timed((fg: string) => call(contrast, { fg, bg: '#fed' })),
      peer: null,
    },
    {
      figure: '/api/data/convert, JSON of 2,000 rows to NDJSON, in a thread',
      unit,
      items: Array(calls).fill(json),
      ours: timed((data: string) => call(convertData, { data, from: 'json', to: 'ndjson' }, { workers })),
      peer: {
        name: 'JSON.parse and JSON.stringify, which lose digits, in this thread',
        side: timed((data: string) => JSON.stringify(toLines(JSON.parse(data)))),
      },
      setting: { bytes: json.length },
    },
    ...(['json', 'sql'] as const).map((to) => ({
      figure: `/api/data/convert, CSV of 2,000 rows to ${to}, in a thread`,
      unit,
      items: Array<string>(calls).fill(csv),
      ours: timed((data: string) => call(convertData, { data, from: 'csv', to }, { workers })),
      peer: null,
      setting: { bytes: csv.length },
    })),
  ]
}

const toLines = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).join('\n')

function writeRows(count: number): string {
  const rows = Array.from({ length: count }, (_, id) => {
    return {
      id,
      price: id / 8,
      name: `row ${id}, "quoted"`,
      on: id % 2 === 0,
      tags: ['a', { n: id }],
      note: null,
    }
  })
  return JSON.stringify(rows)
}

function writeCsv(count: number): string {
  const rows = Array.from(
    { length: count },
    (_, id) => `${id},${id / 8},"row ${id}, ""quoted""",${id % 2 === 0},\r\n`,
  )
  return `id,price,name,on,note\r\n${rows.join('')}`
}
