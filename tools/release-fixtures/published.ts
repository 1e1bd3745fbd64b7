import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { devPayTo, devPayToKeys } from '@tollbook/chain/dev-accounts'
import { privateKeyToAccount } from 'viem/accounts'

const PAGE = `/merchants/base/${devPayTo.utility.toLowerCase()}`

type Report = { readonly tx: number; readonly usd: number; readonly claimed: boolean }

/** Waits until the report of the utility service's wallet is as wanted. */
export async function untilReported(report: string, isWanted: (found: Report) => boolean): Promise<void> {
  for (;;) {
    const response = await fetch(`${report}${PAGE}.json`)
    if (response.ok && isWanted((await response.json()) as Report)) return
    await wait(200)
  }
}

/** Claims that wallet, registers a webhook, and disputes its report; returns once the claim is published. */
export async function claimMerchant(report: string): Promise<void> {
  const merchant = privateKeyToAccount(devPayToKeys.utility)
  const send = async (path: string, body: unknown, headers = {}) => {
    const response = await fetch(`${report}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    assert.ok(response.ok, `${path} ${response.status} ${text}`)
    return JSON.parse(text) as { readonly message: string; readonly token: string }
  }
  const sign = async (wish: object) => {
    const { message } = await send('/claims/challenge', { address: merchant.address, ...wish })
    return { message, signature: await merchant.signMessage({ message }) }
  }
  const disclosures = [`0x${'1'.repeat(40)}`]
  await send('/claims', await sign({ statement: 'We sell calls.', disclosures }))
  const { token } = await send('/claims/session', await sign({ action: 'alerts' }))
  await send('/claims/alerts', { url: 'https://alerts.example/tollbook' }, { 'x-alert-token': token })
  await send('/disputes', { address: merchant.address, text: 'One of these buyers is the seller.' })
  await untilReported(report, ({ claimed }) => claimed)
}

/** Everything of the published weeks as the release serves it, and what it serves of the claimed wallet. */
export async function readPublished(report: string) {
  const published: Record<string, { bytes: number; sha256: string }> = {}
  const read = async (path: string) => {
    const response = await fetch(`${report}${path}`)
    const text = await response.text()
    assert.ok(response.ok, `${path} ${response.status} ${text}`)
    const sha256 = createHash('sha256').update(text).digest('hex')
    published[path] = { bytes: Buffer.byteLength(text), sha256 }
    return text
  }
  const { weeks } = JSON.parse(await read('/weeks.json')) as { weeks: readonly { week: string }[] }
  assert.ok(weeks.length > 0)
  for (const { week } of weeks) {
    await read(`/weeks/${week}.json`)
    await read(`/weeks/${week}/inputs.json`)
    await read(`/merchants.json?week=${week}`)
    const csv = await read(`/merchants.csv?week=${week}`)
    for (const address of new Set(csv.match(/0x[0-9a-f]{40}/g)))
      for (const end of ['.json', '/payments.csv', '/payments.ndjson', '/inputs.json'])
        await read(`/merchants/base/${address}${end}?week=${week}`)
  }
  const claim = await (await fetch(`${report}${PAGE}/claim.json`)).json()
  const { tx, usd } = (await (await fetch(`${report}${PAGE}.json`)).json()) as Report
  return { published, claim, utility: { tx, usd } }
}
