import type { Migration } from './migration.ts'

/** The operator of a wallet, and ranks in which each operator counts once. */
export const operators: Migration = {
  name: '0032-operators',
  async up({ schema }) {
    await schema.alterTable('reports').addColumn('operator', 'text').execute()
    await schema.alterTable('reports').addColumn('operator_rank', 'bigint').execute()
  },
}
