import type { Tables as TablesOfPayments } from '@tollbook/gate/state/tables'
import type { FacilitatorTables } from './facilitator-tables.ts'

/** The tables of the facilitator service, which also settles by the ledger of calls. */
export type Tables = FacilitatorTables & TablesOfPayments
