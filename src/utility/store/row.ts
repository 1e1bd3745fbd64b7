import { isRawNumber, parseExactJson } from '../../catalogue/arguments/exact-json.ts'
import type { Fault } from '../../catalogue/problem.ts'
import { MAX_ROW_BYTES, MAX_ROWS } from './limits.ts'

/** The fields of a row as its owner named them. */
export type Fields = Readonly<Record<string, unknown>>

/** Fields that the store itself gives every row. */
const OWN_FIELDS = ['id', 'version', 'created_at', 'updated_at'] as const

/** A stored row. */
export type Row = {
  readonly id: number
  readonly version: number
  /** Epoch milliseconds. */
  readonly created_at: number
  readonly updated_at: number
  /** The fields as JSON. */
  readonly body: string
}

/** A row as it is answered: the store's fields first, then the owner's. */
export function toAnswerRow(row: Row, fields: Fields = parseFields(row.body)) {
  return {
    id: row.id,
    version: row.version,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    ...fields,
  }
}

export type AnswerRow = ReturnType<typeof toAnswerRow>

/** Reads what the store wrote itself, an object; its numbers keep all their digits. */
export function parseFields(body: string): Fields {
  return parseExactJson(body) as Fields
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)
}

/**
 * The rows of a body: an object, a list of objects, or `{ rows: [...] }` with nothing beside it.
 * Values that are no objects stay in the list; `findRowFaults` names them.
 */
export function listRows(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body
  const isWrapped = isFields(body) && Object.keys(body).length === 1 && Array.isArray(body.rows)
  return isWrapped ? (body.rows as unknown[]) : [body]
}

/** What keeps new rows from being stored. */
export function findRowFaults(rows: readonly unknown[]): readonly Fault[] {
  if (rows.length === 0) return [{ parameter: 'body', detail: 'has no row' }]
  if (rows.length > MAX_ROWS) {
    const detail = `has ${rows.length} rows; at most ${MAX_ROWS} are taken in one call`
    return [{ parameter: 'body', detail, code: 'too_large' }]
  }
  return rows.flatMap((row, at) => findFaultsOf(row, rows.length > 1 ? `body.${at}` : 'body'))
}

function findFaultsOf(row: unknown, parameter: string): readonly Fault[] {
  if (!isFields(row)) return [{ parameter, detail: 'must be an object of fields' }]
  const own = OWN_FIELDS.filter((name) => Object.hasOwn(row, name))
  const named = own.map((name) => ({
    parameter: `${parameter}.${name}`,
    detail: 'is a name that the store gives itself; use another',
  }))
  return [...named, ...findSizeFaults(row, parameter)]
}

function findSizeFaults(row: Fields, parameter: string): readonly Fault[] {
  const bytes = Buffer.byteLength(JSON.stringify(row))
  if (bytes <= MAX_ROW_BYTES) return []
  const detail = `has ${bytes} bytes as JSON; a row may have ${MAX_ROW_BYTES}`
  return [{ parameter, detail, code: 'too_large' }]
}

/** A body that changes a row, split into the owner's fields and what it says of the row itself. */
export type RowChange = { readonly fields: Fields; readonly version: number | null }

/**
 * Reads the body of a change. A row may be sent as it was read: its `version` is then the expected one,
 * and its times are left out.
 */
export function splitChange(body: Fields): RowChange {
  const { id: _id, version, created_at: _created, updated_at: _updated, ...fields } = body
  return { fields, version: typeof version === 'number' ? version : null }
}

/** What keeps a body from changing the row with this id. */
export function findChangeFaults(body: unknown, id: number): readonly Fault[] {
  if (!isFields(body)) return [{ parameter: 'body', detail: 'must be an object of fields' }]
  const faults: Fault[] = []
  if (body.id !== undefined && body.id !== id)
    faults.push({ parameter: 'body.id', detail: `must be ${id}, the id in the path, or left out` })
  if (body.version !== undefined && !Number.isSafeInteger(body.version))
    faults.push({ parameter: 'body.version', detail: 'must be the version of the row as a whole number' })
  return [...faults, ...findSizeFaults(splitChange(body).fields, 'body')]
}
