import type { EffectTables } from '../contract/effect-tables.ts'
import type { PaymentTables } from './payment-tables.ts'
import type { SignerTables } from './signer-tables.ts'

/** The tables of gate and settlement. */
export type Tables = PaymentTables & SignerTables & EffectTables
