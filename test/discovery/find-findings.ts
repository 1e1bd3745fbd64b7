import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ICON_PATH } from '@tollbook/endpoints/documents/brand'

/** A finding of `@agentcash/discovery`, which x402scan runs when a service is registered. */
export type Finding = { readonly code: string; readonly severity: string; readonly message: string }

const CLI = fileURLToPath(import.meta.resolve('@agentcash/discovery')).replace(
  'dist/index.js',
  'bin/discovery.js',
)
/** Services without anything for sale, about which there is this one finding. */
const FREE_SERVICES = ['report', 'facilitator']
const NOTHING_FOR_SALE = 'L2_NO_PAID_ROUTES'

/**
 * All findings about a host, informational ones too. Each paid operation is requested without a payment.
 * @throws Error if it finds no operation.
 */
export async function findFindings(origin: string): Promise<readonly Finding[]> {
  const words = [CLI, 'discover', origin, '--json']
  const { stdout } = await promisify(execFile)(process.execPath, words, { maxBuffer: 64 * 1024 * 1024 })
  const { resources, warnings } = JSON.parse(stdout) as { resources: unknown[]; warnings: Finding[] }
  if (resources.length === 0) throw new Error(`no operation found at ${origin}: ${JSON.stringify(warnings)}`)
  return warnings
}

/** The findings about the services of a product, by service; that free services sell nothing is none. */
export async function checkServices(
  addresses: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, readonly Finding[]>>> {
  const found: Record<string, readonly Finding[]> = {}
  for (const [name, url] of Object.entries(addresses)) {
    if (name === 'dev chain') continue
    const findings = await findPatiently(new URL(url).origin)
    const isExpected = ({ code }: Finding) => code === NOTHING_FOR_SALE && FREE_SERVICES.includes(name)
    found[name] = findings.filter((finding) => !isExpected(finding))
  }
  return found
}

/** Checks again where the package did not get an icon within its 5 seconds, although there is one. */
async function findPatiently(origin: string): Promise<readonly Finding[]> {
  const findings = await findFindings(origin)
  const isMissing = findings.some(({ code }) => code === 'FAVICON_MISSING')
  return isMissing && (await fetch(`${origin}${ICON_PATH}`)).ok ? findPatiently(origin) : findings
}
