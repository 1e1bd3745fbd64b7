import type { Migration } from './migration.ts'

/** Buyers, facilitators and days of all merchants together, as JSON; null for weeks published earlier. */
export const fieldFigures: Migration = {
  name: '0036-field-figures',
  async up({ schema }) {
    await schema.alterTable('report_editions').addColumn('field', 'text').execute()
  },
}
