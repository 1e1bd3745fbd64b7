import type { EffectTables } from '../../catalogue/effect/effect-tables.ts'
import type { PageTables } from './page-tables.ts'
import type { ScratchpadTables } from './scratchpad-tables.ts'
import type { WalletTables } from './wallet-tables.ts'

/** The tables of the utility service. */
export type Tables = WalletTables & ScratchpadTables & PageTables & EffectTables
