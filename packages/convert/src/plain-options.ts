import type { ConvertOptions } from './format.ts'
import { CALL_LIMITS } from './limits.ts'

/** The options of a conversion that asks for nothing special. */
export const PLAIN_OPTIONS: Omit<ConvertOptions, 'from' | 'to'> = {
  table: null,
  fromDialect: null,
  delimiter: null,
  dialect: 'ansi',
  createTable: true,
  header: true,
  types: 'infer',
  pretty: false,
  flatten: false,
  escapeFormulas: false,
  limits: CALL_LIMITS,
}
