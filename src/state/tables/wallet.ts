/** Tables of wallet; columns are created in ../migrations. */
export type WalletTables = Record<never, never>
