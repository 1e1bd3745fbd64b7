import type { EffectTables } from '@tollbook/gate/contract/effect-tables'
import type { SocialSessionTables } from './session-tables.ts'
import type { SocialTables } from './social-tables.ts'

/** The tables of the social service. */
export type Tables = SocialTables & SocialSessionTables & EffectTables
