import { numberColumns } from '../read/name-columns.ts'
import { Fields, type Value } from '../value.ts'

/**
 * Converts a record to a row: an object by its names, a list by position (`column1`), any other value as the
 * single column `value`.
 */
export function toFields(record: Value): Fields {
  if (record instanceof Fields) return record
  if (Array.isArray(record)) return new Fields(numberColumns(record.length), record)
  return new Fields(['value'], [record])
}
