const EMBEDDED = 'duckdb:'

/** The folder of a ledger in this process, `duckdb:<folder>`; null for ClickHouse servers. */
export function folderOf(ledgerUrl: string): string | null {
  return ledgerUrl.startsWith(EMBEDDED) ? ledgerUrl.slice(EMBEDDED.length) : null
}
