import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { DEV_CLIENT_KEYS } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import { toRequests } from '@tollbook/testing/catalogue/example-requests'
import {
  type RunningCommand,
  startCommand,
  withoutSettings,
} from '@tollbook/testing/commands/running-command'
import { signPayment } from '@tollbook/testing/payments/sign-payment'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import { createPublicClient, createWalletClient, http, maxUint256, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { loadAll } from '../soak/errands.ts'

const IS_INSIDE = process.env.OFFLINE_NAMESPACE === 'yes'
const ENTER = ['-n', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
const ERC20 = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function approve(address, uint256) returns (bool)',
])

if (IS_INSIDE) await callEverything()
else {
  const { status } = spawnSync('unshare', [...ENTER, 'true'])
  const skip = status === 0 ? false : 'a network namespace needs root, unshare and ip'
  test('without any network, every endpoint answers or refuses, and no process ends', { skip }, () => {
    const { NODE_TEST_CONTEXT: _, ...others } = process.env
    const words = [...ENTER, process.execPath, '--test', import.meta.filename]
    const env = { ...others, OFFLINE_NAMESPACE: 'yes' }
    const inside = spawnSync('unshare', words, { env, encoding: 'utf8' })
    process.stdout.write(inside.stdout)
    assert.equal(inside.status, 0, inside.stderr)
  })
}

async function callEverything(): Promise<void> {
  const payer = privateKeyToAccount(DEV_CLIENT_KEYS[0])
  const catalogues = await loadAll()
  let product: RunningCommand
  let started: readonly number[]
  let held: bigint
  let charged = 0n
  const urlOf = (name: string) => product.addresses[name] ?? assert.fail(`${name} has no address`)
  const chain = () => createPublicClient({ transport: http(urlOf('dev chain')) })
  const balance = () =>
    chain().readContract({
      address: BASE.usdc,
      abi: ERC20,
      functionName: 'balanceOf',
      args: [payer.address],
    })

  before(async () => {
    const names = ['REPORT', 'SOCIAL', 'UTILITY', 'INFERENCE', 'FACILITATOR', 'DEVCHAIN']
    product = await startCommand(['start'], {
      ...withoutSettings(),
      ...Object.fromEntries(names.map((name) => [`TOLLBOOK_${name}_PORT`, '0'])),
      TOLLBOOK_DATA_DIR: temporaryFolder('offline'),
    })
    const wallet = createWalletClient({ account: payer, transport: http(urlOf('dev chain')) })
    const hash = await wallet.writeContract({
      address: BASE.usdc,
      abi: ERC20,
      functionName: 'approve',
      args: [CONTRACTS.permit2, maxUint256],
      chain: null,
    })
    await chain().waitForTransactionReceipt({ hash })
    started = descendantsOf(product.pid ?? 0)
    held = await balance()
  })
  after(() => product?.close())

  for (const [service, endpoints] of catalogues)
    for (const endpoint of endpoints)
      test(`${service}: ${endpoint.method} ${endpoint.path}`, async (context) => {
        const [request] = toRequests(endpoint, endpoints)
        assert.ok(request)
        const send = async (payment?: string) => {
          const [again] = toRequests(endpoint, endpoints)
          const headers = { ...again?.init.headers, ...(payment && { 'payment-signature': payment }) }
          const signal = AbortSignal.timeout(endpoint.limits.timeoutMs + SETTLEMENT_MS)
          const response = await fetch(`${urlOf(service)}${request.path}`, {
            ...again?.init,
            headers,
            signal,
          })
          return { response, text: await response.text() }
        }
        const unpaid = await send()
        const header = unpaid.response.headers.get('payment-required')
        if (header === null) return explain(context, unpaid)
        assert.equal(unpaid.response.status, 402)
        const offered = decodePaymentRequiredHeader(header) as unknown as PaymentRequired
        const paid = await send(await signPayment(payer, offered))
        const settlement = paid.response.headers.get('payment-response')
        assert.equal(settlement !== null, paid.response.ok, `${paid.response.status} ${paid.text}`)
        if (settlement === null) return explain(context, paid)
        charged += BigInt(decodePaymentResponseHeader(settlement).amount ?? offered.accepts[0]?.amount ?? 0)
      })

  test('what was charged is what the answers say, the same processes run, and every port answers', async () => {
    assert.equal(await balance(), held - charged)
    const now = descendantsOf(product.pid ?? 0)
    assert.deepEqual(
      started.filter((pid) => !now.includes(pid)),
      [],
    )
    for (const name of ['report', 'social', 'utility', 'inference', 'facilitator'])
      assert.equal((await fetch(`${urlOf(name)}/healthz`)).status, 200, name)
  })
}

/** The terms give a settlement as long, beyond the handler's own limit. */
const SETTLEMENT_MS = 30_000

type Received = { readonly response: Response; readonly text: string }

/** A free answer, or a problem that says what is wrong. */
function explain(context: { diagnostic(message: string): void }, { response, text }: Received): void {
  if (response.ok) return
  const { code, detail, problem } = JSON.parse(text) as Problem & { readonly problem?: Problem }
  const found = { code: code ?? problem?.code, detail: detail ?? problem?.detail }
  context.diagnostic(`${response.status} ${found.code}: ${found.detail}`)
  assert.match(found.code ?? '', /^[a-z_]+$/, text)
  assert.match(found.detail ?? '', /\w+ \w+/, text)
  assert.ok(response.status !== 500 && found.code !== 'internal_error', text)
}

type Problem = { readonly code?: string; readonly detail?: string }

/** A process and those that it started, by the kernel's list. */
function descendantsOf(pid: number): readonly number[] {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
  return [pid, ...children.flatMap((child) => descendantsOf(Number(child)))]
}

function parentOf(pid: string): number {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return 0
  }
}
