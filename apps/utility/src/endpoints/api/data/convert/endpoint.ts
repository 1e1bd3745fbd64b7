import { findSyntaxError } from '@tollbook/convert/convert'
import { type ConvertOptions, DELIMITERS, FORMATS } from '@tollbook/convert/format'
import { CALL_LIMITS, MAX_INPUT_BYTES } from '@tollbook/convert/limits'
import { bytes } from '@tollbook/endpoints/answer'
import type { JsonReading } from '@tollbook/endpoints/endpoint'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { leaving } from '@tollbook/flow/leaving'
import { type Issue, ProblemError } from '@tollbook/http/problem'
import { defineJob } from '@tollbook/workers/job'
import * as z from 'zod'
import type { UtilityPorts } from '../../../../ports.ts'
import type { BuiltAnswer } from './build-answer.ts'
import { MAX_VALUES, parseConvertBody } from './parse-body.ts'

/** Texts up to this length are parsed before payment, so that the challenge can report their errors. */
const CHECKED_LENGTH = 16_384
/** A longer body is parsed in a worker; this much takes 5 ms. */
const PARSED_HERE_BYTES = 262_144

/** The source text of a JSON value that was sent instead of a text: its numbers may have more digits than a double. */
class SourceText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const format = z.enum(FORMATS)
const dialect = z.enum(['ansi', 'postgres', 'mysql', 'sqlite'])

function isTextOrContainer(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null)
}

const input = z.object({
  data: z
    // Not declared as an object: zod copies objects, and 400,000 members took 1.3 s of the event loop.
    .unknown()
    .refine(isTextOrContainer, 'must be a string, an array or an object')
    .meta({
      anyOf: [{ type: 'string' }, { type: 'array', items: {} }, { type: 'object', additionalProperties: {} }],
    })
    .describe(
      'The text to convert, up to 5 MB; with from json also the JSON value itself, with at most 500,000 values. All digits are kept.',
    ),
  from: format.describe('Format of data.'),
  to: format.describe('Target format. The same format normalizes the text.'),
  table: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe(
      'Table name in SQL (data); of several tables, or lists of a JSON object, the only one to convert.',
    ),
  dialect: dialect.default('ansi').describe('Dialect of the written SQL; mysql includes MariaDB.'),
  from_dialect: dialect.optional().describe('Dialect of the SQL input, if not recognized.'),
  create_table: z.boolean().default(true).describe('Whether SQL output has CREATE TABLE before the rows.'),
  header: z.boolean().default(true).describe('Whether the first row of CSV and TSV holds the column names.'),
  delimiter: z
    .enum(DELIMITERS)
    .optional()
    .describe('Of CSV input; default: comma, or as a first line sep=; says.'),
  types: z
    .enum(['infer', 'string'])
    .default('infer')
    .describe(
      'infer: unquoted cells of CSV and TSV become numbers, booleans, null (empty) or JSON; string: all cells are strings.',
    ),
  pretty: z.boolean().default(false).describe('Whether JSON output is indented text, not a JSON value.'),
  flatten: z
    .boolean()
    .default(false)
    .describe('Whether nested objects become columns such as a.b, and in JSON the reverse.'),
  escape_formulas: z
    .boolean()
    .default(false)
    .describe('Whether CSV and TSV cells that a spreadsheet runs as formulas get a leading apostrophe.'),
})

type Input = z.output<typeof input>

const job = defineJob<typeof import('./build-answer.ts').buildAnswer>({
  module: new URL('./build-answer.ts', import.meta.url),
  name: 'buildAnswer',
  deadlineMs: 15_000,
})

const parseJob = defineJob<typeof parseConvertBody>({
  module: new URL('./parse-body.ts', import.meta.url),
  name: 'parseConvertBody',
  deadlineMs: 15_000,
})

async function parseBody(
  bytes: Uint8Array,
  { workers }: UtilityPorts,
  signal: AbortSignal,
): Promise<JsonReading> {
  signal.throwIfAborted()
  // Not aborted with the request: that would kill the worker, which costs more than parsing the body.
  const run = () => leaving(workers.run(parseJob, bytes, new AbortController().signal), signal)
  const parsed = bytes.byteLength <= PARSED_HERE_BYTES ? parseConvertBody(bytes) : await run()
  if ('issue' in parsed || parsed.source === null) return parsed
  return { value: { ...parsed.value, data: new SourceText(parsed.source) } }
}

function toOptions(args: Input): ConvertOptions {
  return {
    from: args.from,
    to: args.to,
    table: args.table ?? null,
    fromDialect: args.from_dialect ?? null,
    dialect: args.dialect,
    createTable: args.create_table,
    header: args.header,
    delimiter: args.delimiter ?? null,
    types: args.types,
    pretty: args.pretty,
    flatten: args.flatten,
    escapeFormulas: args.escape_formulas,
    limits: CALL_LIMITS,
  }
}

/** The text to convert; a JSON value as its source text. */
function textOf({ data }: Input): string {
  if (typeof data === 'string') return data
  return data instanceof SourceText ? data.text : JSON.stringify(data)
}

function findIssues(args: Input): readonly Issue[] {
  if (typeof args.data !== 'string' && args.from !== 'json')
    return [{ parameter: 'data', detail: `must be a string if from is ${args.from}` }]
  const text = textOf(args)
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes > MAX_INPUT_BYTES)
    return [
      {
        parameter: 'data',
        detail: `has ${sizeBytes} bytes (limit ${MAX_INPUT_BYTES})`,
        code: 'too_large',
      },
    ]
  if (text.length > CHECKED_LENGTH) return []
  const error = findSyntaxError(text, toOptions(args))
  return error ? [toIssue(error)] : []
}

type ConvertFailure = Extract<BuiltAnswer, { error: unknown }>['error']

function toIssue({ message, line, column }: ConvertFailure): Issue {
  const place = line === null ? '' : column === null ? ` line ${line}` : ` line ${line}, column ${column}`
  return {
    parameter: 'data',
    detail: `cannot be converted:${place ? `${place}:` : ''} ${message}`,
    code: 'cannot_be_served',
  }
}

export const convertData = defineEndpoint({
  id: 'data-convert',
  method: 'POST',
  effect: 'none',
  path: '/api/data/convert',
  pricing: { kind: 'exact', priceUsd: '0.005' },
  summary: 'Data conversion',
  description:
    'JSON, NDJSON, CSV (RFC 4180), TSV and SQL INSERT dumps (PostgreSQL, MySQL, SQLite, SQL Server, Oracle), any to any. Keeps every digit, nested values and several tables; reports errors with line and column. 5 MB in, 20 MB out.',
  input,
  output: z.object({
    from: format,
    to: format,
    rows: z.int().min(0),
    columns: z.array(z.string()).describe('Of a single table; with several tables, each has its own.'),
    content_type: z.string().describe('Media type of data.'),
    bytes: z.int().min(0).describe('Size of data in UTF-8.'),
    tables: z.array(
      z.object({
        name: z.string(),
        rows: z.int().min(0),
        columns: z.array(z.string()),
        data: z.string().optional().describe('Text of this table, if data is null.'),
      }),
    ),
    warnings: z.array(z.object({ line: z.int().nullable(), message: z.string() })),
    ts: z.iso.datetime(),
    data: z
      .unknown()
      .describe(
        'A text; with to json, the JSON value itself unless pretty; null if there are several tables, whose texts are in tables.',
      ),
  }),
  example: {
    input: { data: 'id,price,tags\r\n7,1.5,"[""a""]"\r\n', from: 'csv', to: 'json' },
    output: {
      from: 'csv',
      to: 'json',
      rows: 1,
      columns: ['id', 'price', 'tags'],
      content_type: 'application/json',
      bytes: 35,
      tables: [{ name: 'data', rows: 1, columns: ['id', 'price', 'tags'] }],
      warnings: [],
      ts: '2026-11-21T10:00:00.000Z',
      data: [{ id: 7, price: 1.5, tags: ['a'] }],
    },
  },
  // In a JSON string, a text of 5 MB may take two characters for each of its own.
  limits: { bodyBytes: 12_000_000, bodyValues: MAX_VALUES, timeoutMs: 20_000 },
  parseBody,
  check: findIssues,
  async handle({ input: args, ports, signal, now }: Call<Input, UtilityPorts, Address>) {
    const work = { text: textOf(args), options: toOptions(args), ts: now.toISOString() }
    const built: BuiltAnswer = await ports.workers.run(job, work, signal)
    if ('body' in built) return bytes(built.body, 'application/json; charset=utf-8')
    const issue = toIssue(built.error)
    const { line, column } = built.error
    throw new ProblemError({
      code: 'cannot_be_served',
      detail: `${issue.parameter} ${issue.detail}.`,
      issues: [issue],
      members: { format: args.from, line, column },
    })
  },
})
