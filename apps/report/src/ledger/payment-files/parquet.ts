import { open } from 'node:fs/promises'
import { convertFiles, quotePath } from '../duckdb/convert-files.ts'
import { EXPORT_COLUMNS } from './payment-csv.ts'

const NAMES = EXPORT_COLUMNS.map(([name]) => name).join(', ')
const TYPES = EXPORT_COLUMNS.map(([name, type]) => `'${name}': '${type}'`).join(', ')

export type Conversion = {
  readonly from: string
  readonly to: string
}

/** Writes payments of a CSV file as Parquet. @throws as `convertFiles` */
export function convertToParquet({ from, to }: Conversion, signal: AbortSignal): Promise<void> {
  return convertFiles(
    `COPY (SELECT ${NAMES} FROM read_csv(${quotePath(from)}, header = true, columns = {${TYPES}}))
    TO ${quotePath(to)} (FORMAT parquet, COMPRESSION zstd)`,
    signal,
  )
}

/** Writes payments of a Parquet file as CSV, in chain order. @throws as `convertFiles` */
export function convertToCsv({ from, to }: Conversion, signal: AbortSignal): Promise<void> {
  // Files of old versions have no fees. ClickHouse, with which 1.0.0 wrote them, may mark text as bytes.
  return convertFiles(
    `COPY (
      SELECT ${NAMES.replace('fee', 'coalesce(fee, 0) AS fee')} FROM (
        SELECT CAST(NULL AS UBIGINT) AS fee WHERE false
        UNION ALL BY NAME SELECT * FROM read_parquet(${quotePath(from)}, binary_as_string = true)
      ) ORDER BY block, log_index
    ) TO ${quotePath(to)} (FORMAT csv, HEADER)`,
    signal,
  )
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
