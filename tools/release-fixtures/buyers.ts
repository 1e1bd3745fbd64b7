import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { DEV_CLIENT_KEYS, devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import type { State } from '@tollbook/cli/commands/state/state'
import { runCommand } from '@tollbook/testing/commands/running-command'
import { toClientEvmSigner } from '@x402/evm'
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { UptoEvmScheme } from '@x402/evm/upto/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { createPublicClient, createWalletClient, http, maxUint256, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

/** Accounts of the dev chain, by what they buy. */
const BUYER = {
  settled: 0,
  wallet: 1,
  channel: 2,
  reserved: 3,
  settling: 4,
  streaming: 5,
  commandLine: 6,
} as const
const CALLS_OF_CHANNEL = 4
const CALLS_OF_COMMAND_LINE = ['/api/calc?expr=1%2B1', '/api/calc?expr=2%2B2']
const ERC20 = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function approve(address, uint256) returns (bool)',
])

type Asked = {
  readonly service: string
  readonly path: string
  readonly method: string
  readonly body?: string
}
/** `payment` is the value of `PAYMENT-SIGNATURE`, `account` the number of a dev account. */
type Bought = Asked & { readonly payment: string; readonly account: number }
type Answered = Bought & {
  readonly status: number
  readonly sha256: string
  readonly bytes: number
  readonly receipt: string
}

type Options = {
  urlOf(service: string): string
  readonly rpcUrl: string
  readonly state: State
  readonly environment: NodeJS.ProcessEnv
}

/** Buyers with @x402/fetch and `tollbook call`. */
export function openBuyers({ urlOf, rpcUrl, state, environment }: Options) {
  const chain = createPublicClient({ transport: http(rpcUrl) })
  const answered: Answered[] = []
  const open: (Bought & { readonly state: string })[] = []
  const balances: Record<string, string> = {}
  const balanceOf = (address: `0x${string}`) =>
    chain.readContract({ address: BASE.usdc, abi: ERC20, functionName: 'balanceOf', args: [address] })

  function openFetch(account: number, onPayment: (payment: string) => void = () => {}) {
    const signer = toClientEvmSigner(walletOf(account), chain)
    const client = new x402Client()
    if (account === BUYER.channel) client.register(BASE.id, new BatchSettlementEvmScheme(signer))
    else if (account === BUYER.streaming) client.register(BASE.id, new UptoEvmScheme(signer, { rpcUrl }))
    else client.register(BASE.id, new ExactEvmScheme(signer))
    return wrapFetchWithPayment(async (input, init) => {
      const request = new Request(input, init)
      const payment = request.headers.get('payment-signature')
      if (payment) onPayment(payment)
      return fetch(request)
    }, client) as typeof fetch
  }

  const ask = (buy: typeof fetch, { service, path, method, body }: Asked) =>
    buy(`${urlOf(service)}${path}`, {
      method,
      ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
    })

  async function buy(account: number, asked: Asked): Promise<void> {
    let payment = ''
    const response = await ask(
      openFetch(account, (header) => {
        payment = header
      }),
      asked,
    )
    const bytes = new Uint8Array(await response.arrayBuffer())
    assert.ok(response.ok, `${response.status} ${Buffer.from(bytes)}`)
    const receipt = response.headers.get('tollbook-receipt') ?? ''
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const answer = { status: response.status, sha256, bytes: bytes.byteLength, receipt }
    answered.push({ ...asked, payment, account, ...answer })
  }

  /** Buys, and returns once the call is in this state, in which the product will be killed. */
  async function begin(account: number, wanted: string, asked: Asked): Promise<void> {
    let payment = ''
    const buying = openFetch(account, (header) => {
      payment = header
    })
    ask(buying, asked)
      .then((response) => response.arrayBuffer())
      .catch(() => {})
    const payer = walletOf(account).address.toLowerCase()
    for (;;) {
      const [row] = await state.db.selectFrom('paid_call').selectAll().where('payer', '=', payer).execute()
      if (row?.state === wanted && (wanted !== 'streaming' || row.bytes_sent > 0)) break
      assert.ok(!row || row.is_open, `${asked.path} is ${row?.state}`)
      await wait(1)
    }
    open.push({ ...asked, payment, account, state: wanted })
  }

  async function allowPermit2(account: number): Promise<void> {
    const wallet = createWalletClient({ account: walletOf(account), transport: http(rpcUrl) })
    const args = [CONTRACTS.permit2, maxUint256] as const
    const approval = { address: BASE.usdc, abi: ERC20, functionName: 'approve', args, chain: null } as const
    await chain.waitForTransactionReceipt({ hash: await wallet.writeContract(approval) })
  }

  return {
    /** @returns the number of payments to the utility service */
    async buySettled(): Promise<number> {
      const { settled, wallet } = BUYER
      await buy(settled, get('utility', '/api/calc?expr=2%5E64'))
      await buy(settled, get('utility', '/api/qr?data=https%3A%2F%2Ftollbook.example'))
      await buy(settled, get('utility', '/api/timezone?lat=48.8566&lon=2.3522'))
      await buy(settled, get('social', '/users/by/username?username=jun_sample'))
      // Above a mebibyte, so that on SQLite the answer is a file.
      const table = Array.from({ length: 40_000 }, (_, id) => ({ id, word: 'the same word in every row' }))
      await buy(settled, post('utility', '/api/data/convert', { data: table, from: 'json', to: 'csv' }))
      await buy(
        wallet,
        post('utility', '/api/store/trades', [{ ticker: 'BTC', note: 'watch' }, { ticker: 'ETH' }]),
      )
      await buy(wallet, post('utility', '/api/store/trades', { ticker: 'SOL', price: 12.5 }))
      await buy(wallet, post('utility', '/api/scratchpad/plan', { content: 'Buy milk.' }))
      for (const path of CALLS_OF_COMMAND_LINE) {
        const words = ['call', `${urlOf('utility')}${path}`, '--yes', '--account', `${BUYER.commandLine}`]
        const { code, stderr } = await runCommand(words, environment)
        assert.equal(code, 0, stderr)
      }
      return answered.filter(({ service }) => service === 'utility').length + CALLS_OF_COMMAND_LINE.length
    },
    /** Leaves a channel with unclaimed vouchers, and a call in each state that a kill can leave behind. */
    async leaveOpen(silentUrl: string): Promise<void> {
      await allowPermit2(BUYER.streaming)
      const chat = { model: 'tier-2', stream: true, messages: [{ role: 'user', content: 'Count.' }] }
      await begin(
        BUYER.streaming,
        'streaming',
        post('inference', '/v1/chat/completions/_t/tier-2/upto', chat),
      )
      await begin(
        BUYER.reserved,
        'reserved',
        get('utility', `/api/scrape?url=${encodeURIComponent(silentUrl)}`),
      )
      // So late because the facilitator of 1.0.0 claims after half a minute, whatever the settings are.
      const fromChannel = openFetch(BUYER.channel)
      for (let call = 1; call <= CALLS_OF_CHANNEL; call += 1)
        assert.equal((await ask(fromChannel, get('utility', `/api/calc?expr=${call}*2`))).status, 200)
      for (const account of Object.values(BUYER))
        balances[account] = String(await balanceOf(walletOf(account).address))
      balances.utility = String(await balanceOf(devPayTo.utility))
      await chain.request({ method: 'evm_setAutomine' as never, params: [false] as never })
      await begin(BUYER.settling, 'settling', get('utility', '/api/calc?expr=6*7'))
    },
    /** `balances` are those before the last call, in micro-USDC. */
    expected: () => ({ answered, open, balances }),
  }
}

const walletOf = (account: number) => privateKeyToAccount(DEV_CLIENT_KEYS[account] as `0x${string}`)
const get = (service: string, path: string): Asked => ({ service, path, method: 'GET' })
const post = (service: string, path: string, body: unknown): Asked => ({
  service,
  path,
  method: 'POST',
  body: JSON.stringify(body),
})
