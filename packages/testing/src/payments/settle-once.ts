import { BASE } from '@tollbook/chain/network'
import { openState } from '@tollbook/cli/commands/state/open'
import { createInProcessFacilitator } from '@tollbook/facilitator/settlement/in-process-facilitator'
import { decodePayment } from '@tollbook/gate/authorization/decode-payment'
import { pino } from 'pino'

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
