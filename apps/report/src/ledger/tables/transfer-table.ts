import type { Transfer } from '@tollbook/verify/chain/transfer'
import type { TableDefinition } from '../engine/table.ts'

export const TRANSFER_TABLE: TableDefinition<Transfer> = Object.freeze({
  name: 'transfer',
  columns: [
    { name: 'block', type: 'UInt32', of: (transfer) => transfer.blockNumber },
    { name: 'log_index', type: 'UInt32', of: (transfer) => transfer.logIndex },
    { name: 'ts', type: 'UInt32', of: (transfer) => transfer.timestamp },
    { name: 'tx', type: 'FixedString(32)', of: (transfer) => transfer.transaction },
    { name: 'sender', type: 'FixedString(20)', of: (transfer) => transfer.sender },
    { name: 'recipient', type: 'FixedString(20)', of: (transfer) => transfer.recipient },
    { name: 'amount', type: 'UInt64', of: (transfer) => transfer.amount },
  ],
  keyed: ['sender', 'recipient'],
  orderBy: ['sender', 'block', 'log_index'],
} satisfies TableDefinition<Transfer>)
