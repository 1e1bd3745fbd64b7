import { isRawNumber, parseExactJson } from '@tollbook/flow/json/exact-json'
import type { Issue } from '@tollbook/http/problem'
import { MAX_ROW_BYTES, MAX_ROWS } from './contract.ts'

/** The owner's fields of a row. */
export type Fields = Readonly<Record<string, unknown>>

/** Fields that the store adds to every row. */
const OWN_FIELDS = ['id', 'version', 'created_at', 'updated_at'] as const

export type Row = {
  readonly id: number
  readonly version: number
  /** Epoch milliseconds. */
  readonly created_at: number
  readonly updated_at: number
  /** The fields as JSON. */
  readonly body: string
}

/** A row as it is returned: the store's fields first, then the owner's. */
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

/** Parses an object written by the store itself; its numbers keep all their digits. */
export function parseFields(body: string): Fields {
  return parseExactJson(body) as Fields
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)
}

/**
 * The rows of a body: an object, an array of objects, or `{ rows: [...] }` with nothing else. Values that are
 * not objects stay in the list; `findRowIssues` reports them.
 */
export function listRows(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body
  const isWrapped = isFields(body) && Object.keys(body).length === 1 && Array.isArray(body.rows)
  return isWrapped ? (body.rows as unknown[]) : [body]
}

/** Validation errors of new rows. */
export function findRowIssues(rows: readonly unknown[]): readonly Issue[] {
  if (rows.length === 0) return [{ parameter: 'body', detail: 'has no row' }]
  if (rows.length > MAX_ROWS) {
    const detail = `has ${rows.length} rows (limit ${MAX_ROWS} per call)`
    return [{ parameter: 'body', detail, code: 'too_large' }]
  }
  return rows.flatMap((row, at) => findIssuesOf(row, rows.length > 1 ? `body.${at}` : 'body'))
}

function findIssuesOf(row: unknown, parameter: string): readonly Issue[] {
  if (!isFields(row)) return [{ parameter, detail: 'must be an object of fields' }]
  const own = OWN_FIELDS.filter((name) => Object.hasOwn(row, name))
  const named = own.map((name) => ({
    parameter: `${parameter}.${name}`,
    detail: 'is a field that the store sets itself; use another name',
  }))
  return [...named, ...findSizeIssues(row, parameter)]
}

function findSizeIssues(row: Fields, parameter: string): readonly Issue[] {
  const bytes = Buffer.byteLength(JSON.stringify(row))
  if (bytes <= MAX_ROW_BYTES) return []
  const detail = `has ${bytes} bytes as JSON (limit ${MAX_ROW_BYTES} per row)`
  return [{ parameter, detail, code: 'too_large' }]
}

/** A body that changes a row, split into the owner's fields and those about the row itself. */
export type RowChange = { readonly fields: Fields; readonly version: number | null }

/**
 * Reads the body of a change. A row may be sent as it was returned: its `version` is then the expected one,
 * and its times are ignored.
 */
export function splitChange(body: Fields): RowChange {
  const { id: _id, version, created_at: _created, updated_at: _updated, ...fields } = body
  return { fields, version: typeof version === 'number' ? version : null }
}

export function findChangeIssues(body: unknown, id: number): readonly Issue[] {
  if (!isFields(body)) return [{ parameter: 'body', detail: 'must be an object of fields' }]
  const issues: Issue[] = []
  if (body.id !== undefined && body.id !== id)
    issues.push({ parameter: 'body.id', detail: `must be ${id}, the id in the path, or absent` })
  if (body.version !== undefined && !Number.isSafeInteger(body.version))
    issues.push({ parameter: 'body.version', detail: 'must be the version of the row as an integer' })
  return [...issues, ...findSizeIssues(splitChange(body).fields, 'body')]
}
