import { numberColumns } from '../read/name-columns.ts'
import { Fields, type Value } from '../value.ts'

/** A record as a row: an object by its names, a list by places (`column1`), anything else as the one column `value`. */
export function toFields(record: Value): Fields {
  if (record instanceof Fields) return record
  if (Array.isArray(record)) return new Fields(numberColumns(record.length), record)
  return new Fields(['value'], [record])
}
