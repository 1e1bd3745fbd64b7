import type { EffectTables } from '@tollbook/gate/contract/effect-tables'
import type { PageTables } from './page-tables.ts'
import type { ScratchpadTables } from './scratchpad-tables.ts'
import type { WalletTables } from './wallet-tables.ts'

/** The tables of the utility service. */
export type Tables = WalletTables & ScratchpadTables & PageTables & EffectTables
