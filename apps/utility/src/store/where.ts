import { isRawNumber } from '@tollbook/flow/json/exact-json'
import type { Issue } from '@tollbook/http/problem'
import { compareDecimals } from './compare-decimals.ts'
import { type Fields, isFields } from './row.ts'

const OPERATORS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'contains'] as const
type Operator = (typeof OPERATORS)[number]

export type Condition = { readonly field: string; readonly operator: Operator; readonly value: string }

const PREFIX = 'where.'
/** Chosen: each condition is tested on each row, so a query costs at most ten comparisons a row. */
const MAX_CONDITIONS = 10

/** Whether a query parameter is a condition: `where.<field>` or `where.<field>.<operator>`. */
export function isWhereName(name: string): boolean {
  return name.startsWith(PREFIX) && parseName(name).field !== ''
}

/**
 * Parses the conditions of a query. A name that ends in an operator's name means the operator, so a field
 * called `gt` is queried as `where.gt.eq`.
 */
export function parseConditions(query: Readonly<Record<string, unknown>>): readonly Condition[] {
  return Object.entries(query)
    .filter(([name]) => isWhereName(name))
    .flatMap(([name, value]) => [value].flat().map((one) => ({ ...parseName(name), value: String(one) })))
}

export function findWhereIssues(query: Readonly<Record<string, unknown>>): readonly Issue[] {
  const { length } = parseConditions(query)
  if (length <= MAX_CONDITIONS) return []
  return [{ parameter: 'where', detail: `has ${length} conditions (limit ${MAX_CONDITIONS})` }]
}

function parseName(name: string): Pick<Condition, 'field' | 'operator'> {
  const rest = name.slice(PREFIX.length)
  const at = rest.lastIndexOf('.')
  const operator = OPERATORS.find((known) => known === rest.slice(at + 1))
  return at > 0 && operator ? { field: rest.slice(0, at), operator } : { field: rest, operator: 'eq' }
}

/** Whether a row meets all conditions. */
export function matches(fields: Fields, conditions: readonly Condition[]): boolean {
  return conditions.every((condition) => fulfils(findValue(fields, condition.field), condition))
}

/** A field by its own name, or by a path of names separated by points. */
function findValue(fields: Fields, name: string): unknown {
  if (Object.hasOwn(fields, name)) return fields[name]
  const at = name.indexOf('.')
  if (at < 0) return undefined
  const [first, rest] = [name.slice(0, at), name.slice(at + 1)]
  const inner = Object.hasOwn(fields, first) ? fields[first] : undefined
  return isFields(inner) ? findValue(inner, rest) : undefined
}

function fulfils(actual: unknown, { operator, value }: Condition): boolean {
  switch (operator) {
    case 'eq':
      return isEqual(actual, value)
    case 'ne':
      return !isEqual(actual, value)
    case 'contains':
      if (Array.isArray(actual)) return actual.some((item) => isEqual(item, value))
      return typeof actual === 'string' && actual.includes(value)
    default:
      return isOrdered(compare(actual, value), operator)
  }
}

function isEqual(actual: unknown, value: string): boolean {
  if (typeof actual === 'string') return actual === value
  const number = toNumberText(actual)
  if (number !== null) return compareDecimals(number, value) === 0
  return (typeof actual === 'boolean' || actual === null) && String(actual) === value
}

/** Numbers by exact value, strings by code units, so ISO times by time; anything else has no order. */
function compare(actual: unknown, value: string): number | null {
  const number = toNumberText(actual)
  if (number !== null) return compareDecimals(number, value)
  if (typeof actual !== 'string') return null
  return actual === value ? 0 : actual < value ? -1 : 1
}

/** A number in JSON notation, with all its digits; null for anything else. */
function toNumberText(value: unknown): string | null {
  if (isRawNumber(value)) return value.rawJSON
  return typeof value === 'number' ? String(value) : null
}

function isOrdered(order: number | null, operator: 'gt' | 'gte' | 'lt' | 'lte'): boolean {
  if (order === null) return false
  if (operator === 'gt') return order > 0
  if (operator === 'gte') return order >= 0
  return operator === 'lt' ? order < 0 : order <= 0
}
