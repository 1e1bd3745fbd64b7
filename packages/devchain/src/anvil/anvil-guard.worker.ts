import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createConnection } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { followWallClock } from './follow-wall-clock.ts'
import type { FromGuard, GuardOrder, ToGuard } from './guard-messages.ts'
import { createRpcClient } from './json-rpc.ts'
import { saveState, unpackState } from './state-file.ts'

/**
 * A separate process between Tollbook and anvil. If Tollbook is killed, it survives long enough to save the
 * chain and stop anvil, so that no payment is lost and no process is left behind.
 */

const READY_WAIT_MS = 30_000
/** A wait for the port is shown after this time. */
const PORT_NOTICE_MS = 2_000
const OCCUPANT_WAIT_MS = 2_000
const POLL_MS = 10

const order = JSON.parse(process.argv[2] ?? '{}') as GuardOrder
const rpc = createRpcClient(`http://127.0.0.1:${order.port}`)
let anvil: ChildProcess | null = null
let clock: { stop(): Promise<void> } | null = null
/** A new chain whose clock never started is incomplete, and not saved; the next start creates it again. */
let isComplete = false
let isClosing = false

// A signal to the whole process group must let Tollbook drain first: the chain ends after its parent.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('disconnect', () => void close())
process.on('message', (message: ToGuard) => void obey(message))
run().catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)))

async function run() {
  await waitForPort()
  const unpacked = order.stateFile && existsSync(order.stateFile) ? unpackState(order.stateFile) : null
  const { seconds, gasLimit } = unpacked?.genesis ?? order.genesis
  const genesis = ['--timestamp', String(seconds), '--gas-limit', String(gasLimit)]
  // Until its clock starts, a stored chain is in the time of its genesis: nobody's transaction is mined there.
  const load = unpacked ? ['--load-state', unpacked.file, '--no-mining'] : []
  const words = ['--port', String(order.port), '--quiet', ...genesis, ...order.args, ...load]
  let complaint = ''
  anvil = spawn(order.anvil, words, { stdio: ['ignore', 'ignore', 'pipe'] })
  anvil.stderr?.on('data', (chunk: Buffer) => {
    complaint = `${complaint}${chunk}`.slice(-2000)
  })
  anvil.once('error', (error) => fail(`anvil did not start: ${error.message}`))
  anvil.once('exit', (code, signal) => {
    if (!isClosing) fail(`anvil ended with ${signal ?? `code ${code}`}: ${complaint.trim()}`)
  })
  await waitForAnvil()
  unpacked?.remove()
  isComplete = unpacked !== null
  send({ kind: 'ready', anvilPid: anvil.pid ?? 0 })
}

async function obey(message: ToGuard) {
  if (message.kind === 'start-clock') {
    clock ??= await followWallClock(rpc, order.stateFile)
    await rpc.call('evm_setAutomine', [true])
    isComplete = true
    send({ kind: 'clock-started' })
  } else if (message.kind === 'save') {
    if (order.stateFile) await saveState(rpc, order.stateFile)
    send({ kind: 'saved' })
  } else await close()
}

async function waitForPort() {
  const deadline = Date.now() + order.portWaitMs
  const noticeAt = Date.now() + PORT_NOTICE_MS
  let isNoticed = false
  while (await isPortTaken()) {
    if (Date.now() > deadline) throw new Error(await describeOccupant())
    if (Date.now() > noticeAt && !isNoticed) {
      isNoticed = true
      process.stderr.write(`waiting for port ${order.port}, which another process uses …\n`)
    }
    await pause(100)
  }
}

function isPortTaken(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port: order.port })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

async function describeOccupant(): Promise<string> {
  const answer = await Promise.race([
    rpc.call<string>('web3_clientVersion').catch(() => 'not an Ethereum node'),
    // A server of another protocol may wait for more.
    pause(OCCUPANT_WAIT_MS, 'not an Ethereum node'),
  ])
  return `port ${order.port} is taken (${answer} answers there): stop that process, or set another TOLLBOOK_DEVCHAIN_PORT`
}

async function waitForAnvil() {
  const deadline = Date.now() + READY_WAIT_MS
  for (;;) {
    try {
      await rpc.call('eth_chainId')
      return
    } catch (cause) {
      if (Date.now() > deadline) throw new Error('anvil does not answer', { cause })
      await pause(POLL_MS)
    }
  }
}

async function close() {
  if (isClosing) return
  isClosing = true
  await clock?.stop()
  if (isComplete && order.stateFile) await saveAll(order.stateFile).catch(() => {})
  end(0)
}

/** Other processes still send transactions: none is mined, and thus confirmed, that the saved chain lacks. */
async function saveAll(stateFile: string) {
  await rpc.call('evm_setAutomine', [false])
  // What anvil was about to mine may still be mined.
  let savedHead: unknown
  do {
    savedHead = await rpc.call('eth_blockNumber')
    await saveState(rpc, stateFile)
  } while ((await rpc.call('eth_blockNumber')) !== savedHead)
}

function fail(reason: string) {
  if (isClosing) return
  isClosing = true
  send({ kind: 'failed', reason })
  end(1)
}

function end(code: number) {
  const finish = () => process.exit(code)
  if (!anvil || anvil.exitCode !== null || anvil.signalCode !== null) return finish()
  anvil.once('exit', finish)
  // The state is saved, and anvil is slow to handle SIGTERM.
  anvil.kill('SIGKILL')
}

function send(message: FromGuard) {
  if (process.connected) process.send?.(message, () => {})
}
