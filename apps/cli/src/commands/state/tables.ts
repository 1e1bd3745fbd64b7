import type { Tables as FacilitatorTables } from '@tollbook/facilitator/state/tables'
import type { Tables as ReportTables } from '@tollbook/report/state/tables'
import type { Tables as SocialTables } from '@tollbook/social/state/tables'
import type { Tables as UtilityTables } from '@tollbook/utility/state/tables'

/** Every table of the state store. */
export type Tables = FacilitatorTables & ReportTables & SocialTables & UtilityTables
