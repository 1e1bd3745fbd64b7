import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { newPayer, type Payer, signPayment } from '@tollbook/testing/payments/sign-payment'
import type { Attack } from './attack.ts'
import { type Answer, countAnswers, type Order, readChallenge, send } from './send.ts'
import { TIER, type World } from './world.ts'

const REQUESTS = 60
/** 120 per minute. */
const EVERY_MS = 500
/** Duration of the baseline measurement before anything is sent. */
const BEFORE_MS = 8_000

/** Large bodies with a payment whose signature is invalid. */
export const unsignedBodies: Attack = {
  name: 'unsigned-bodies',
  summary:
    'one address sends 120 large bodies a minute with forged payments; others ask for /healthz meanwhile',
  async run(world, note) {
    const orders = makeOrders(world, world.newAddress())
    const forger: Payer = { ...newPayer(), signTypedData: async () => `0x${'11'.repeat(65)}` }
    const requests: { order: Order; payment: string }[] = []
    for (const order of orders) {
      const challenge = await readChallenge(order)
      if (challenge) requests.push({ order, payment: await signPayment(forger, challenge) })
    }
    if (requests.length === 0) throw new Error('none of the endpoints is sold')
    const before = await probe(world, () => wait(BEFORE_MS))
    note(`p99 before: ${percentile(before, 0.99).toFixed(1)} ms`)
    const answers: Answer[] = []
    const during = await probe(world, async () => {
      const sent: Promise<unknown>[] = []
      for (let at = 0; at < REQUESTS; at += 1) {
        const { order, payment } = requests[at % requests.length] as (typeof requests)[number]
        sent.push(send(order, payment).then((answer) => answers.push(answer)))
        if ((at + 1) % 20 === 0) note(`${at + 1} of ${REQUESTS} sent`)
        await wait(EVERY_MS)
      }
      await Promise.all(sent)
    })
    return {
      kind: 'delay',
      p99Ms: percentile(during, 0.99),
      p99BeforeMs: percentile(before, 0.99),
      setting: {
        requests: REQUESTS,
        perMinute: 60_000 / EVERY_MS,
        bodies: requests.map(({ order }) => `${((order.body?.length ?? 0) / 1e6).toFixed(1)} MB`).join(' '),
        answers: countAnswers(answers),
        p50Ms: round(percentile(during, 0.5)),
        maxMs: round(Math.max(...during)),
        probes: during.length,
      },
    }
  },
}

const FORM_TYPE = 'multipart/form-data; boundary=b'
/** A PDF of 19 MB that is not one, and whose parts would have to be sought. */
const FORM = `--b\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\ncontent-type: application/pdf\r\n\r\n%PDF-1.7\n${'\r\n--b'.repeat(3_800_000)}\r\n--b--\r\n`

/** The bodies that the services take longest to read. */
function makeOrders({ utility, inference }: World, from: string): readonly Order[] {
  const post = (url: string, body: unknown): Order => ({
    url,
    method: 'POST',
    body: JSON.stringify(body),
    from,
  })
  const digits = '1234567890'.repeat(3)
  const numbers = `[${Array(700).fill(`0.${digits}`).join(',')}]`
  const rows = `[${Array(120).fill(`{"n":${numbers}}`).join(',')}]`
  const csv = `a,b,c\n${'"1","two",3.5\n'.repeat(300_000)}`
  const form = (url: string): Order => ({ url, method: 'POST', body: FORM, contentType: FORM_TYPE, from })
  const messages = Array.from({ length: 400 }, () => ({ role: 'user', content: 'word '.repeat(2_000) }))
  return [
    { url: `${utility}/api/store/unsigned`, method: 'POST', body: rows, from },
    post(`${utility}/api/vectorize`, { image_base64: 'iVBORw0K'.repeat(1_600_000) }),
    post(`${utility}/api/data/convert`, { data: csv, from: 'csv', to: 'json' }),
    post(`${inference}/v1/chat/completions/_t/${TIER}`, { messages }),
    ...['scrape', 'summarize', 'translate-text'].map((name) => form(`${utility}/api/${name}`)),
  ]
}

/** Latency of `/healthz` in milliseconds, measured meanwhile from another address by a separate thread. */
async function probe(world: World, work: () => Promise<unknown>): Promise<readonly number[]> {
  const workerData = { url: world.utility, from: world.newAddress() }
  const worker = new Worker(new URL('./probe-health.worker.ts', import.meta.url), { workerData })
  await once(worker, 'online')
  await work()
  const times = once(worker, 'message')
  worker.postMessage('stop')
  const [posted] = (await times) as [readonly number[]]
  await worker.terminate()
  return posted
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

const round = (ms: number) => Number(ms.toPrecision(3))
