import { readFileSync, writeFileSync } from 'node:fs'
import { writePdf } from '@tollbook/testing/write-pdf'
import type { Attack } from './attack.ts'
import { countAnswers, type Order, send, signFor } from './send.ts'
import type { World } from './world.ts'

const CALLS = 56
/** Far above the price of a call, in micro-USDC. */
const FUNDS = 100_000n

/** Large bodies at the same time, each paid by another wallet from another address. */
export const parallelBodies: Attack = {
  name: 'parallel-bodies',
  summary: `${CALLS} addresses each send a paid body of 6 to 20 MB at the same time`,
  async run(world, note) {
    const buy = async (orders: readonly Order[]) => {
      const payments: (string | null)[] = []
      // One after the other: all wallets are funded by one account, whose transactions need consecutive nonces.
      for (const order of orders)
        payments.push(await signFor(withoutBody(order), await world.newWallet(FUNDS)))
      const answers = orders.map((order, at) => send(order, payments[at] ?? undefined))
      return countAnswers(await Promise.all(answers))
    }
    // The code of the endpoints, and the threads, are loaded before.
    note(`first: ${await buy(Array.from({ length: 4 }, (_, at) => makeOrder(world, at)))}`)
    const orders = Array.from({ length: CALLS }, (_, at) => makeOrder(world, at))
    const beforeMb = resetPeak(world.pid)
    const answers = await buy(orders)
    const sentMb = orders.reduce((sum, { body }) => sum + (body?.length ?? 0), 0) / 1e6
    return {
      kind: 'memory',
      peakMb: memoryOf(world.pid, 'VmHWM'),
      beforeMb,
      setting: { calls: CALLS, sentMb: Math.round(sentMb), answers },
    }
  },
}

/** undici accepts none of fewer than 27 characters. */
const BOUNDARY = 'a-boundary-of-some-28-characters'
const SENTENCE = 'The oldest harbour was built of oak. '
/** A PDF of a sentence, with a comment of 19 MB. */
const PDF = Buffer.from(writePdf([[[72, 700, 11, SENTENCE]]]))
  .toString('latin1')
  .replace('\n', `\n%${'-'.repeat(19_000_000)}\n`)
const FORM = Buffer.from(
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\ncontent-type: application/pdf\r\n\r\n${PDF}\r\n--${BOUNDARY}--\r\n`,
  'latin1',
)
/** A million characters, each of six bytes. */
const ESCAPED = SENTENCE.repeat(27_000).replaceAll(
  /./gs,
  (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`,
)
const HTML = Buffer.from(`{"html":"<p>${ESCAPED}"}`)

const withoutBody = ({ body: _, ...order }: Order): Order => order

function makeOrder({ utility, newAddress }: World, at: number): Order {
  const url = `${utility}/api/${at % 2 === 0 ? 'scrape' : 'summarize'}`
  const from = newAddress()
  if (at % 4 === 3) return { url, method: 'POST', body: HTML, from }
  return {
    url,
    method: 'POST',
    body: FORM,
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    from,
  }
}

/** Resident memory, MB (proc(5): status). */
function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const [, kb] =
    new RegExp(`^${field}:\\s*(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round((Number(kb) * 1024) / 1e6)
}

/** Begins the peak of a process anew (proc(5): clear_refs) and returns its memory. */
function resetPeak(pid: number): number {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  return memoryOf(pid, 'VmRSS')
}
