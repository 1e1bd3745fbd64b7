import type { Tables as FacilitatorTables } from '../../facilitator/state/tables.ts'
import type { Tables as ReportTables } from '../../report/state/tables.ts'
import type { Tables as SocialTables } from '../../social/state/tables.ts'
import type { Tables as UtilityTables } from '../../utility/state/tables.ts'

/** Every table of the state store. */
export type Tables = FacilitatorTables & ReportTables & SocialTables & UtilityTables
