import type { Endpoint } from '@tollbook/endpoints/endpoint'
import fc, { type Arbitrary } from 'fast-check'
import * as z from 'zod'
import { drawFiles } from './draw-files.ts'
import { findAlternatives, fromSchema, type Schema } from './from-schema.ts'

export type Input = Readonly<Record<string, unknown>>

/** How far an input is from what the endpoint accepts. */
export const KINDS = ['valid', 'near-valid', 'wild'] as const
export type Kind = (typeof KINDS)[number]

/** Values that often break parsers, databases and renderers. */
const AWKWARD: readonly unknown[] = [
  '',
  ' ',
  '\u0000',
  '\uD800',
  '\u202Eabc',
  '%00',
  '../../etc/passwd',
  "' or 1=1 --",
  '<script>',
  '{{7*7}}',
  'http://127.0.0.1:1/',
  'file:///etc/passwd',
  'http://[::ffff:7f00:1]/',
  'javascript:1',
  '9'.repeat(400),
  '__proto__',
  'constructor',
  'NaN',
  '-0',
  '1e999',
  '0x10',
  'null',
  'true',
  '٣',
  'x'.repeat(20_000),
  null,
  true,
  0,
  -1,
  1.5,
  Number.MAX_SAFE_INTEGER,
  1e308,
  [],
  {},
  [[]],
  { a: { a: { a: {} } } },
  Array.from({ length: 200 }, () => 'a'),
  { __proto__: null, toString: 1 },
]
const NAMES = ['no_such_parameter', '__proto__', 'constructor', 'body', 'payer', 'limit ', 'LIMIT', '']

/**
 * Inputs of an endpoint: valid ones, which take about half of their fields from the example so that they are
 * meaningful, or send a file, ones with a single issue, and ones unrelated to its schema.
 * @param example the endpoint's own, changed so that it can be served here
 */
export function drawInputs(endpoint: Endpoint, example: Input): Readonly<Record<Kind, Arbitrary<Input>>> {
  const schema = z.toJSONSchema(endpoint.input, { io: 'input', unrepresentable: 'any' }) as Schema
  const drawn = fromSchema(schema) as Arbitrary<Input>
  const any = fc
    .tuple(drawn, fc.infiniteStream(fc.boolean()))
    .map(([input, coins]) => giveOneName(mix(input, example, coins), schema))
  const sent = drawFiles().map((file) => ({ ...without(example, 'text'), file }))
  const valid = endpoint.accepts === 'either' ? fc.oneof(any, sent) : any
  const faulty = fc
    .tuple(valid, fc.constantFrom(...mutationsOf(schema)))
    .chain(([input, mutate]) => mutate(input))
  const wild = fc.oneof(
    fc.dictionary(fc.string({ maxLength: 20 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6 }),
    fc.record(Object.fromEntries(Object.keys(schema.properties ?? {}).map((name) => [name, awkward()]))),
  )
  return { valid, 'near-valid': faulty, wild }
}

function mix(input: Input, example: Input, coins: Iterator<boolean>): Input {
  const names = [...new Set([...Object.keys(example), ...Object.keys(input)])]
  return Object.fromEntries(
    names.flatMap((name) => {
      const takesExample = coins.next().value === true
      // Mostly omitted, since one meaningless cursor spoils the rest.
      if (!(name in example) && (takesExample || coins.next().value)) return []
      const source = name in example && (takesExample || !(name in input)) ? example : input
      return [[name, source[name]] as const]
    }),
  )
}

/** Of several names with the same meaning, only the first one present. */
function giveOneName(input: Input, schema: Schema): Input {
  const surplus = findAlternatives(schema).flatMap((names) => names.filter((name) => name in input).slice(1))
  return surplus.reduce(without, input)
}

type Mutation = (input: Input) => Arbitrary<Input>

function mutationsOf({ properties = {} }: Schema): readonly Mutation[] {
  const names = Object.keys(properties)
  const nameOf = (input: Input) => fc.constantFrom(...new Set([...names, ...Object.keys(input), 'x']))
  return [
    (input) => nameOf(input).map((name) => without(input, name)),
    (input) => fc.tuple(nameOf(input), awkward()).map(([name, value]) => ({ ...input, [name]: value })),
    (input) =>
      fc.tuple(fc.constantFrom(...NAMES), awkward()).map(([name, value]) => define(input, name, value)),
    (input) => nameOf(input).map((name) => ({ ...input, [name]: [input[name], input[name]] })),
    (input) =>
      fc.tuple(nameOf(input), fc.nat()).map(([name, at]) => ({ ...input, [name]: bend(input[name], at) })),
  ]
}

function awkward(): Arbitrary<unknown> {
  return fc.oneof(fc.constantFrom(...AWKWARD), fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 2 }))
}

function without(input: Input, name: string): Input {
  return Object.fromEntries(Object.entries(input).filter(([each]) => each !== name))
}

/** Includes names that a plain assignment would treat specially. */
function define(input: Input, name: string, value: unknown): Input {
  return Object.defineProperty({ ...input }, name, { value, enumerable: true })
}

/** Changes a small part of a value: a digit, a character, a byte, an element. */
function bend(value: unknown, at: number): unknown {
  if (typeof value === 'number') return value + (at % 2 === 0 ? 0.1 : at)
  if (typeof value === 'string') {
    const place = at % (value.length + 1)
    return `${value.slice(0, place)}${String.fromCharCode(at % 0xffff)}${value.slice(place + (at % 2))}`
  }
  if (Array.isArray(value)) return [...value, ...value, null]
  if (value instanceof Blob) return new File([value.slice(at % value.size)], 'bent')
  return { value }
}
