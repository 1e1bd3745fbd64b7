import type { Address, Call } from '../../../../../catalogue/endpoint.ts'
import type { UtilityPorts } from '../../../../ports.ts'

type Port = Pick<Call<unknown, UtilityPorts, Address>, 'ports' | 'payer' | 'signal'>

/** Further sheets are not fetched; colour findings then need human review. */
const MAX_SHEETS = 12
const MAX_SHEET_BYTES = 1_000_000
const MAX_BYTES = 3_000_000
const SHEET_TIMEOUT_MS = 4_000

/** Fetches the linked sheets concurrently; a sheet that does not arrive in time is skipped. */
export async function readSheets(
  urls: readonly string[],
  { ports, payer, signal }: Port,
): Promise<ReadonlyMap<string, string>> {
  const sheets = new Map<string, string>()
  let bytes = 0
  const read = async (url: string) => {
    const limits = { maxBytes: MAX_SHEET_BYTES, timeoutMs: SHEET_TIMEOUT_MS }
    const { status, body } = await ports.fetch(url, { ...limits, payer, signal, accept: 'text/css' })
    bytes += body.byteLength
    if (status === 200 && bytes <= MAX_BYTES) sheets.set(url, new TextDecoder().decode(body))
  }
  // A missing sheet does not fail the check: findings that depend on it are reported as uncertain.
  await Promise.allSettled(urls.slice(0, MAX_SHEETS).map(read))
  signal.throwIfAborted()
  return sheets
}
