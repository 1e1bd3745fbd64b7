/** Tables of payments; columns are created in ../migrations. */
export type PaymentTables = Record<never, never>
