import type { Payment } from '@tollbook/verify/chain/payment'
import type { TableDefinition } from '../engine/table.ts'

export const PAYMENT_TABLE: TableDefinition<Payment> = Object.freeze({
  name: 'payment',
  columns: [
    { name: 'block', type: 'UInt32', of: (payment) => payment.blockNumber },
    { name: 'log_index', type: 'UInt32', of: (payment) => payment.logIndex },
    { name: 'ts', type: 'UInt32', of: (payment) => payment.timestamp },
    { name: 'tx', type: 'FixedString(32)', of: (payment) => payment.transaction },
    { name: 'buyer', type: 'FixedString(20)', of: (payment) => payment.buyer },
    { name: 'merchant', type: 'FixedString(20)', of: (payment) => payment.merchant },
    { name: 'amount', type: 'UInt64', of: (payment) => payment.amount },
    { name: 'facilitator', type: 'FixedString(20)', of: (payment) => payment.facilitator },
    { name: 'evidence', type: 'UInt8', of: (payment) => payment.evidence },
    { name: 'fee', type: 'UInt64', of: (payment) => payment.fee ?? 0n },
  ],
  added: ['fee'],
  keyed: ['buyer', 'merchant'],
  orderBy: ['merchant', 'block', 'log_index'],
} satisfies TableDefinition<Payment>)
