import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { createRandom } from '@tollbook/devchain/demo-week/random'
import { startDevChain } from '@tollbook/devchain/dev-chain'
import { startHostileFacilitator } from '@tollbook/devchain/hostile-facilitator'
import { FRAMEWORKS } from '@tollbook/testing/frameworks/servers'
import { FIVE_EVENTS } from '@tollbook/testing/frameworks/work'
import { readTransfers, type Transfer } from '../transfers.ts'
import { buyFromGate, type GatePurchase } from './gate-buyer.ts'
import { type GateProcess, startGate } from './start-gate.ts'

const BUYERS = 8
const LIMITS = { leaseMs: 1_500, heartbeatMs: 150, resendAfterMs: 500, freeBytes: 0 }
/** A handler runs at most three times for a payment, and ten times more for one by which a stream was charged. */
const MAX_RUNS = 13
const MAX_WORK_MS = 60

export type KilledGates = {
  readonly counts: Readonly<Record<string, number>>
  /** Open calls at the kills, by state. */
  readonly states: ReadonlyMap<string, number>
  readonly violations: readonly string[]
}

/**
 * Kills a server with `paid(gate, route)` at random moments while buyers buy, and compares what the buyers got with the
 * transfers on the chain. The framework changes with the seed. The facilitator is that of the x402 SDK.
 */
export async function killGates(options: {
  readonly seed: number
  readonly kills: number
  readonly stateUrl: string | undefined
  readonly onKill: () => void
}): Promise<KilledGates> {
  const { seed, kills, onKill } = options
  const random = createRandom(seed)
  const frameworks = Object.keys(FRAMEWORKS)
  const framework = frameworks[seed % frameworks.length] ?? 'node'
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-gates-'))
  await using chain = await startDevChain()
  await using facilitator = await startHostileFacilitator({ mode: 'honest', chain })
  const setting = {
    framework,
    payTo: `0x${'5e'.repeat(20)}`,
    rpcUrl: chain.rpcUrl,
    facilitator: facilitator.url,
    baseUrl: 'https://gate.example',
    store: options.stateUrl ?? `sqlite:${join(folder, 'gate.sqlite')}`,
    limits: LIMITS,
    runsFile: join(folder, 'runs'),
    maxWorkMs: MAX_WORK_MS,
  } as const
  const compileCache = process.env.NODE_COMPILE_CACHE ?? join(folder, 'compiled')
  const states = new Map<string, number>()
  let server: GateProcess = await startGate(setting, compileCache)
  let isOver = false
  const purchases: GatePurchase[] = []
  const buyers = Array.from({ length: BUYERS }, async (_, at) => {
    const key = chain.accounts[at]?.privateKey
    while (key && !isOver) {
      const purchase = await buyFromGate(key, () => server.url, random)
      if (purchase) purchases.push(purchase)
    }
  })
  for (let killed = 0; killed < kills; killed += 1) {
    await delay(random() * 900)
    await server.kill()
    if (!options.stateUrl) countStates(join(folder, 'gate.sqlite'), states)
    server = await startGate(setting, compileCache)
    onKill()
  }
  isOver = true
  await Promise.all(buyers)
  await server.kill()
  const transfers = await readTransfers(chain.rpc, setting.payTo, 0)
  const runs = existsSync(setting.runsFile) ? readFileSync(setting.runsFile, 'utf8').split('\n') : []
  const violations = [...compare(purchases, transfers), ...checkRuns(runs)]
  rmSync(folder, { recursive: true, force: true })
  const answered = purchases.filter(({ answers }) => answers.size > 0).length
  return {
    counts: { purchases: purchases.length, answered, [`in ${framework}`]: purchases.length },
    states,
    violations: violations.map((words) => `${framework}: ${words}`),
  }
}

function compare(purchases: readonly GatePurchase[], transfers: readonly Transfer[]): readonly string[] {
  const wrong: string[] = []
  const byNonce = Map.groupBy(transfers, ({ nonce }) => nonce?.toLowerCase() ?? '')
  for (const { route, nonce, amount, answers, refusal } of purchases) {
    const paid = byNonce.get(nonce) ?? []
    byNonce.delete(nonce)
    const isPaid = paid.length === 1 && paid[0]?.amount === amount
    if (paid.length > 0 && !isPaid) wrong.push(`${route} ${nonce} was charged ${paid.length} times`)
    if (answers.size > 0 && !isPaid) wrong.push(`${route} ${nonce} was answered and not charged`)
    if (answers.size === 0 && paid.length > 0)
      wrong.push(`${route} ${nonce} was charged and not answered: ${refusal}`)
    if (answers.size > 1) wrong.push(`${route} ${nonce} has ${answers.size} different answers`)
    if (refusal === 'no end') wrong.push(`${route} ${nonce} came to no end`)
    if (route === 'stream' && answers.size > 0 && !answers.has(FIVE_EVENTS))
      wrong.push(`${nonce} was answered by a torn stream`)
  }
  for (const nonce of byNonce.keys())
    wrong.push(`a transfer of ${nonce || 'no authorization'} that nobody bought`)
  return wrong
}

/** With the limit of streams, since the file does not name the route. */
function checkRuns(ids: readonly string[]): readonly string[] {
  const counts = Map.groupBy(
    ids.filter((id) => id !== ''),
    (id) => id,
  )
  return [...counts]
    .filter(([, runs]) => runs.length > MAX_RUNS)
    .map(([id, runs]) => `the call ${id} ran ${runs.length} times`)
}

function countStates(file: string, states: Map<string, number>): void {
  const database = new DatabaseSync(file, { readOnly: true })
  const rows = database
    .prepare('select state, count(*) as count from paid_call where is_open = 1 group by state')
    .all()
  for (const { state, count } of rows) states.set(`${state}`, (states.get(`${state}`) ?? 0) + Number(count))
  database.close()
}
