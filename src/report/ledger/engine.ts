/** The few things that the ledger asks of ClickHouse, whether it runs in this process or on servers. */
export interface Engine {
  readonly version: string
  /** A statement without an answer. */
  command(sql: string, signal?: AbortSignal): Promise<void>
  /** Rows of a query as texts, TSV unescaped never: select numbers and hex only. */
  rows(sql: string, signal: AbortSignal): Promise<readonly (readonly string[])[]>
  /** Inserts rows that are already written as TSV. Returns when the engine has taken, and fsynced, all of them. */
  insert(insertion: Insertion, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

export type Insertion = {
  readonly table: string
  readonly columns: readonly string[]
  readonly tsv: Uint8Array
}

/** Splits an answer in TSV without strings that would need unescaping. */
export function splitTsv(text: string): readonly (readonly string[])[] {
  if (text === '') return []
  return text
    .slice(0, text.endsWith('\n') ? -1 : undefined)
    .split('\n')
    .map((line) => line.split('\t'))
}
