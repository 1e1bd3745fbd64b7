import { pino } from 'pino'
import { openState } from '../../src/commands/state/open.ts'
import { BASE } from '../../src/money/network.ts'
import { decodePayment } from '../../src/payments/authorization/decode-payment.ts'
import { createInProcessFacilitator } from '../../src/payments/settlement/in-process-facilitator.ts'

/**
 * A process that settles one payment and may be killed meanwhile. Arguments: RPC URL, state URL, key, the terms
 * as JSON, header, and `die-when-told` to end by SIGKILL as soon as the hash is known.
 */
const [rpcUrl = '', stateUrl = '', key = '', terms = '', header = '', mode = ''] = process.argv.slice(2)
const facilitator = await createInProcessFacilitator({
  chain: { rpcUrl, network: BASE, finalTag: 'latest' },
  key: key as `0x${string}`,
  state: await openState(stateUrl),
  logger: pino({ level: 'silent' }),
})
const decoded = decodePayment(header, { terms: [JSON.parse(terms)] })
if ('problem' in decoded) throw new Error(decoded.problem.detail)
const { payment } = decoded
const beforeSend = async () => {
  if (mode === 'die-when-told') process.kill(process.pid, 'SIGKILL')
}
await facilitator.settle(
  { payment, amount: payment.signedAmount, isCovered: true, key: 'one-call', beforeSend },
  new AbortController().signal,
)
process.exit(0)
