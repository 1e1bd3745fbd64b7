import type { Migration } from './migration.ts'

/** Positions of relations, so that no two share one. */
export const socialRelationPlaces: Migration = {
  name: '0022-social-relation-places',
  async up(db) {
    await db.schema
      .createTable('social_relation_place')
      .addColumn('one', 'bigint', (column) => column.primaryKey())
      .addColumn('last', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.alterTable('social_import').addColumn('relations_from', 'bigint').execute()
  },
}
