import type { ClaimTables } from './claim-tables.ts'
import type { IndexTables, TransferTables } from './index-tables.ts'
import type { ReportTables } from './report-tables.ts'

/** The tables of the indexer, of claims and of what is published. */
export type Tables = ReportTables & IndexTables & TransferTables & ClaimTables
