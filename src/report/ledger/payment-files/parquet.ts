import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { openChdbEngine } from '../chdb-engine.ts'
import { EXPORT_COLUMNS } from './payment-csv.ts'

/** Above this size rows are sorted on disk. */
const SORT_MEMORY_BYTES = 500_000_000
const STRUCTURE = EXPORT_COLUMNS.map((column) => column.join(' ')).join(', ')
const NAMES = EXPORT_COLUMNS.map(([name]) => name).join(', ')

export type Conversion = {
  readonly from: string
  readonly to: string
  /** The folder to which chDB is bound in this process, which can be only one; absent: a temporary one. */
  readonly chdbFolder?: string | undefined
}

/** Writes payments of a CSV file as Parquet. @throws PermanentError without the optional package chdb. */
export function convertToParquet(conversion: Conversion, signal: AbortSignal): Promise<void> {
  const { from, to } = conversion
  const source = `file(${quote(from)}, 'CSVWithNames', '${STRUCTURE}')`
  return run(
    conversion,
    `INSERT INTO FUNCTION file(${quote(to)}, 'Parquet', '${STRUCTURE}')
    SELECT ${NAMES} FROM ${source}`,
    signal,
  )
}

/** Writes payments of a Parquet file as CSV, in chain order. @throws as `convertToParquet`. */
export function convertToCsv(conversion: Conversion, signal: AbortSignal): Promise<void> {
  const { from, to } = conversion
  const target = `file(${quote(to)}, 'CSVWithNames', '${STRUCTURE}')`
  return run(
    conversion,
    `INSERT INTO FUNCTION ${target}
    SELECT ${NAMES} FROM file(${quote(from)}, 'Parquet', '${STRUCTURE}') ORDER BY block, log_index
    SETTINGS max_bytes_before_external_sort = ${SORT_MEMORY_BYTES}`,
    signal,
  )
}

async function run({ chdbFolder }: Conversion, sql: string, signal: AbortSignal): Promise<void> {
  const folder = chdbFolder ?? (await mkdtemp(join(tmpdir(), 'tollbook-parquet-')))
  try {
    const engine = await openChdbEngine(folder)
    try {
      await engine.command(sql, signal)
    } finally {
      await engine.close()
    }
  } finally {
    if (chdbFolder === undefined) await rm(folder, { recursive: true, force: true })
  }
}

function quote(path: string): string {
  return `'${resolve(path).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** Whether a file starts like a Parquet file, https://parquet.apache.org/docs/file-format/ */
export async function isParquet(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0)
    return bytesRead === 4 && buffer.toString('latin1') === 'PAR1'
  } finally {
    await handle.close()
  }
}
