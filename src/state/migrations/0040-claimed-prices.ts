import type { Migration } from './migration.ts'

/** The highest price that a merchant states in its claim, micro-USDC. */
export const claimedPrices: Migration = {
  name: '0040-claimed-prices',
  async up({ schema }) {
    await schema.alterTable('claim').addColumn('max_price', 'bigint').execute()
    await schema.alterTable('claim_challenge').addColumn('max_price', 'bigint').execute()
  },
}
