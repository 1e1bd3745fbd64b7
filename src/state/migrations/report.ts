import type { Migration } from './migration.ts'

/** Listings and published reports. */
export const report: Migration = {
  name: '0004-report',
  async up({ schema }) {
    await schema
      .createTable('report_listing_sources')
      .addColumn('source', 'text', (column) => column.primaryKey())
      .addColumn('collected_at', 'bigint')
      .addColumn('failed_at', 'bigint')
      .addColumn('failure', 'text')
      .execute()

    await schema
      .createTable('report_listings')
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('resource', 'text', (column) => column.notNull())
      .addColumn('operation', 'text', (column) => column.notNull())
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('pay_to', 'text', (column) => column.notNull())
      .addColumn('price', 'bigint', (column) => column.notNull())
      .addColumn('description', 'text', (column) => column.notNull())
      .addColumn('last_seen', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('report_listings_key', ['source', 'pay_to', 'resource', 'operation'])
      .execute()

    await schema
      .createTable('report_editions')
      .addColumn('edition', 'text', (column) => column.notNull())
      .addColumn('revision', 'bigint', (column) => column.notNull())
      .addColumn('method', 'text', (column) => column.notNull())
      .addColumn('start_block', 'bigint', (column) => column.notNull())
      .addColumn('end_block', 'bigint', (column) => column.notNull())
      .addColumn('window_start', 'bigint', (column) => column.notNull())
      .addColumn('window_end', 'bigint', (column) => column.notNull())
      .addColumn('is_complete', 'bigint', (column) => column.notNull())
      .addColumn('published_at', 'bigint', (column) => column.notNull())
      .addColumn('merchants', 'bigint', (column) => column.notNull())
      .addColumn('tx', 'bigint', (column) => column.notNull())
      .addColumn('amount', 'bigint', (column) => column.notNull())
      .addColumn('real_tx', 'bigint', (column) => column.notNull())
      .addColumn('real_amount', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('report_editions_key', ['edition', 'revision'])
      .execute()

    await schema
      .createTable('reports')
      .addColumn('edition', 'text', (column) => column.notNull())
      .addColumn('revision', 'bigint', (column) => column.notNull())
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('etag', 'text', (column) => column.notNull())
      .addColumn('digest', 'text', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .addColumn('start_block', 'bigint', (column) => column.notNull())
      .addColumn('end_block', 'bigint', (column) => column.notNull())
      .addColumn('window_end', 'bigint', (column) => column.notNull())
      .addColumn('is_frozen', 'bigint', (column) => column.notNull())
      .addColumn('rank', 'bigint')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('tx', 'bigint', (column) => column.notNull())
      .addColumn('amount', 'bigint', (column) => column.notNull())
      .addColumn('real_tx', 'bigint', (column) => column.notNull())
      .addColumn('real_amount', 'bigint', (column) => column.notNull())
      .addColumn('passing_ppm', 'bigint', (column) => column.notNull())
      .addColumn('buyers', 'bigint', (column) => column.notNull())
      .addColumn('real_buyers', 'bigint', (column) => column.notNull())
      .addColumn('flags', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('reports_key', ['edition', 'address', 'revision'])
      .execute()

    // The ranking order, so that its first page needs no full sort.
    await schema
      .createIndex('reports_by_real_revenue')
      .on('reports')
      .columns(['edition', 'revision', 'is_frozen', 'real_amount desc', 'real_tx desc', 'address'])
      .execute()

    await schema
      .createTable('report_texts')
      .addColumn('edition', 'text', (column) => column.notNull())
      .addColumn('revision', 'bigint', (column) => column.notNull())
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('search_text', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('report_texts_key', ['edition', 'address', 'revision'])
      .execute()
  },
}

/** When a listing was last seen, validators of its documents, and when merchants' hosts are visited. */
export const listingFreshness: Migration = {
  name: '0008-listing-freshness',
  async up({ schema }) {
    // 0: not seen since this column exists, so a listing that no source shows again is removed at the next opportunity.
    await schema
      .alterTable('report_listings')
      .addColumn('seen_at', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
    await schema.alterTable('report_listing_sources').addColumn('etag', 'text').execute()
    await schema.alterTable('report_listing_sources').addColumn('modified', 'text').execute()
    await schema
      .createTable('report_listing_hosts')
      .addColumn('origin', 'text', (column) => column.primaryKey())
      .addColumn('visited_at', 'bigint')
      .addColumn('next_visit_at', 'bigint', (column) => column.notNull())
      .addColumn('failures', 'bigint', (column) => column.notNull())
      .execute()
  },
}

/** Weeks: inputs of the computation, reasons of corrections, and the payments behind them. */
export const weeks: Migration = {
  name: '0011-weeks',
  async up({ schema }) {
    await schema.alterTable('report_editions').addColumn('reason', 'text').execute()
    await schema.alterTable('report_editions').addColumn('basis', 'text').execute()
    await schema.alterTable('report_editions').addColumn('evidence_file', 'text').execute()
    await schema.alterTable('report_editions').addColumn('evidence_sha256', 'text').execute()
    await schema.alterTable('report_editions').addColumn('evidence_bytes', 'bigint').execute()

    await schema.alterTable('reports').addColumn('basis', 'text').execute()
    await schema.alterTable('reports').addColumn('evidence_file', 'text').execute()
    await schema.alterTable('reports').addColumn('evidence_at', 'bigint').execute()
    await schema.alterTable('reports').addColumn('evidence_bytes', 'bigint').execute()
    await schema.alterTable('reports').addColumn('evidence_sha256', 'text').execute()
    await schema
      .createIndex('reports_by_address')
      .on('reports')
      .columns(['address', 'edition', 'revision'])
      .execute()

    await schema.alterTable('report_texts').addColumn('inputs', 'text').execute()

    await schema
      .createTable('report_bases')
      .addColumn('digest', 'text', (column) => column.primaryKey())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('used_at', 'bigint', (column) => column.notNull())
      .execute()

    await schema
      .createTable('report_evidence_pieces')
      .addColumn('file', 'text', (column) => column.notNull())
      .addColumn('position', 'bigint', (column) => column.notNull())
      .addColumn('bytes', 'bytea', (column) => column.notNull())
      .addColumn('written_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('report_evidence_pieces_key', ['file', 'position'])
      .execute()
  },
}

/** The chain of the published reports. */
export const reportChain: Migration = {
  name: '0013-report-chain',
  async up({ schema }) {
    await schema
      .createTable('report_chain')
      .addColumn('is_current', 'bigint', (column) => column.primaryKey())
      .addColumn('chain', 'text', (column) => column.notNull())
      .execute()
  },
}

/** Whether a report's name is confirmed; names published earlier count as unconfirmed. */
export const confirmedNames: Migration = {
  name: '0027-confirmed-names',
  async up({ schema }) {
    await schema
      .alterTable('reports')
      .addColumn('is_name_confirmed', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}

/** Who is listed for a resource is looked up before each payment to it. */
export const listingsByResource: Migration = {
  name: '0029-listings-by-resource',
  async up({ schema }) {
    await schema.createIndex('report_listings_resource').on('report_listings').column('resource').execute()
  },
}

/** Effective buyers of a report in hundredths, to sort a ranking by; 0 for reports published earlier. */
export const effectiveBuyers: Migration = {
  name: '0030-effective-buyers',
  async up({ schema }) {
    await schema
      .alterTable('reports')
      .addColumn('effective_buyers_hundredths', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}

/** Payment schemes of a listing: a metered price is a maximum. */
export const listingSchemes: Migration = {
  name: '0031-listing-schemes',
  async up({ schema }) {
    await schema
      .alterTable('report_listings')
      .addColumn('schemes', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
  },
}

/** The operator of a wallet, and ranks in which each operator counts once. */
export const operators: Migration = {
  name: '0032-operators',
  async up({ schema }) {
    await schema.alterTable('reports').addColumn('operator', 'text').execute()
    await schema.alterTable('reports').addColumn('operator_rank', 'bigint').execute()
  },
}

/** Buyers, facilitators and days of all merchants together, as JSON; null for weeks published earlier. */
export const fieldFigures: Migration = {
  name: '0036-field-figures',
  async up({ schema }) {
    await schema.alterTable('report_editions').addColumn('field', 'text').execute()
  },
}

/** What unpaid requests to listed endpoints showed. */
export const endpointHealth: Migration = {
  name: '0038-endpoint-health',
  async up({ schema }) {
    await schema
      .createTable('report_endpoint_health')
      .addColumn('resource', 'text', (column) => column.notNull())
      .addColumn('pay_to', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('since', 'bigint', (column) => column.notNull())
      .addColumn('checked_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('report_endpoint_health_key', ['resource', 'pay_to'])
      .execute()
  },
}

/** Returning buyers of a report, to sort a ranking by; -1 where the report has none. */
export const returningBuyers: Migration = {
  name: '0041-returning-buyers',
  async up({ schema }) {
    await schema
      .alterTable('reports')
      .addColumn('returning_buyers', 'bigint', (column) => column.notNull().defaultTo(-1))
      .execute()
  },
}
