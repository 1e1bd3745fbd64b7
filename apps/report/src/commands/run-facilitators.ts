import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createProgress } from '@tollbook/flow/progress'
import { UsageError } from '@tollbook/flow/usage-error'
import { loadConfig } from '@tollbook/runtime/config'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { FACILITATOR_LIST } from '@tollbook/verify/chain/facilitators'
import { listFacilitators, loadFacilitators } from '../chain/facilitator-file.ts'
import {
  compareWithServices,
  FACILITATOR_SERVICES,
  type FacilitatorService,
  type ListDifference,
} from '../chain/supported-signers.ts'

type Words = {
  readonly values: Readonly<Record<string, unknown>>
  readonly positionals: readonly string[]
}

const DIFFERENT = 1

/** `tollbook facilitators`. @returns the exit code. @throws UsageError */
export async function runFacilitators({ values, positionals }: Words): Promise<number> {
  const [action = 'list', ...surplus] = positionals
  if ((action !== 'list' && action !== 'refresh') || surplus.length > 0)
    throw new UsageError(`unknown action: ${positionals.join(' ')} (expected list or refresh)`)
  const file = loadConfig().TOLLBOOK_FACILITATORS_FILE
  const known = listFacilitators(file)
  const { version } = loadFacilitators(file)
  const asJson = values.json === true
  if (action === 'list') {
    const rows = known.map(({ address, facilitator }) => `${address}  ${facilitator}`)
    return print(asJson ? { version, facilitators: known } : [version, ...rows].join('\n'))
  }
  const target = typeof values.write === 'string' ? values.write : null
  if (target !== null && existsSync(target)) throw new UsageError(`${target} already exists`)
  const typed = toServices(values.from)
  const services = typed.length > 0 ? typed : FACILITATOR_SERVICES
  const fetch = createSafeFetch({ allowPrivateNetwork: typed.length > 0 })
  const { signal } = new AbortController()
  const difference = await createProgress().phase('reading facilitators', ({ at }) =>
    compareWithServices(known, services, {
      fetch,
      signal,
      onProgress: (done, total) => at(done, total, 'services'),
    }),
  )
  print(
    asJson
      ? { version, read_at: new Date().toISOString(), ...difference }
      : toText(difference, services.length),
  )
  if (target !== null) {
    writeFileSync(target, toChanges(difference, file), { flag: 'wx' })
    process.stderr.write(`wrote ${target}; set TOLLBOOK_FACILITATORS_FILE to it\n`)
  }
  return difference.added.length > 0 ? DIFFERENT : 0
}

function toServices(urls: unknown): readonly FacilitatorService[] {
  const list = Array.isArray(urls) ? urls.map(String) : []
  return list.map((url) => {
    const host = URL.parse(url)?.host
    if (!host) throw new UsageError(`${url} is not a URL`)
    return { facilitator: host, url, source: 'command line' }
  })
}

function toText({ added, unnamed, failed, silent }: ListDifference, services: number): string {
  const read = services - failed.length
  return [
    `${read} of ${services} services answered; ${silent.length} of them name no wallet on Base`,
    ...added.map(
      ({ address, facilitator, url, source }) => `new     ${address}  ${facilitator}  ${url} (${source})`,
    ),
    ...unnamed.map(
      ({ address, facilitator }) =>
        `unnamed ${address}  ${facilitator}  kept: it may have sent earlier payments`,
    ),
    ...failed.map(({ facilitator, url, reason }) => `failed  ${facilitator}  ${url}: ${reason}`),
    added.length === 0 ? `the list ${FACILITATOR_LIST} lacks none of the wallets found` : '',
  ]
    .filter((line) => line !== '')
    .join('\n')
}

/** The operator's changes so far, with the wallets found. */
function toChanges({ added }: ListDifference, current: string | undefined): string {
  const before =
    current === undefined ? {} : (JSON.parse(readFileSync(current, 'utf8')) as Record<string, unknown>)
  const add = [
    ...(Array.isArray(before.add) ? before.add : []),
    ...added.map(({ address, facilitator }) => ({ address, facilitator })),
  ]
  const name = `refreshed ${new Date().toISOString().slice(0, 10)}`
  return `${JSON.stringify({ ...before, name, add }, null, 2)}\n`
}

function print(shown: string | object): number {
  process.stdout.write(`${typeof shown === 'string' ? shown : JSON.stringify(shown, null, 2)}\n`)
  return 0
}
